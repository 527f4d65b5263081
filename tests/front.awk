# awk -f tests/front.awk hybrid.h > front.cpp: a C++ program that calls each function of the front that has options
# (by pointer, by reference), takes a group (as an array, in braces) or is an operator (as a function of F, in
# namespace hy on hy::value), and demands that all ways give the same. It is made from the prototypes, so that a new
# one cannot be forgotten: what C++ lacks does not compile.

function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }

# Is this argument a group?
function grouped(fn, type, name)
{
    return type == "hy_array *" && fn !~ /box_encode$/ && (name ~ /^(args|heads|variables|inputs|samples|arrays|states|loop_vars|labels|predictions|begin_state)$/ ||
        fn == "hy_foreach" && name == "data" || fn ~ /^hy_(call_at|summary|summary_text)$/ && name == "x")
}

# Numbers, where an argument is a list of them: the text that is asked for, in one list or (only 0) in all.
function numbers(type)
{
    sub(/^hy_/, "", type)
    return toupper(type)
}

# A value for an argument, by its type.
function value(fn, type, name, previous)
{
    if (type ~ /^hy_(ints|shape|reals)$/ && listed != "") {
        if (!only || only == ++lists_met) return listed
        return "HY_" numbers(type) "(1, 0)"
    }
    if (type == "hy_frame *") return name
    if (type == "hy_array *") return "x"
    if (type == "hy_block *") return "net"
    if (type == "hy_graph *") return "graph"
    if (type == "hy_dataset *") return "data"
    if (type == "const char *") return fn == "hy_add_param" ? "fresh()" : "\"front\""
    if (type == "char *") return "text"
    if (type == "size_t") return previous == "char *" ? "sizeof text" : "0"
    if (type == "hy_optim") return "hy_optim_sgd(NULL)"
    if (type == "hy_arrays") return "hy_arrays()"
    if (type == "hy_arrays *") return "&list"
    if (type == "hy_array **") return "&out"
    if (type == "hy_ints") return fn ~ /reshape/ ? "HY_INTS(4)" : "HY_INTS(1)"
    if (type == "hy_shape") return "HY_SHAPE(2, 2)"
    if (type == "hy_reals") return "HY_REALS(1)"
    if (type == "hy_dtype") return "HY_F32"
    if (type == "double") return "0.5"
    if (type ~ /^(int|int64_t)$/) return "1"
    if (type ~ /\*$|_fn$|^hy_function$/) return "NULL"
    print "tests/front.awk: " fn ": no value for " type " " name > "/dev/stderr"
    failed = 1
}

# One way of calling: options as `opt`, groups as `group`, both the texts to put there.
function call(fn, opt, group, first,    i, s, a)
{
    s = fn "("
    lists_met = 0
    for (i = first; i <= n; i++) {
        a = i == optional ? opt : grouped(fn, type[i], name[i]) ? group : value(fn, type[i], name[i], i > 1 ? type[i - 1] : "")
        s = s (i > first ? ", " : "") a
    }
    return s ")"
}
function way(text) { print "    " (is_void ? text ";\n    NEXT" : "NEXT(" text ")") (is_void ? "();" : ";") }

# The operators once more, on values.
function formula(fn,    opts, i, s)
{
    lists_met = 0
    sub(/^hy_/, "hy::", fn)
    s = fn "(" (type[2] != "hy_array *" ? "F" : grouped(fn, type[2], name[2]) ? "{v, v}" : "v")
    for (i = type[2] == "hy_array *" ? 3 : 2; i <= n; i++)
        s = s ", " (i == optional ? "o" : type[i] == "hy_array *" ? "v" : value("hy_" substr(fn, 5), type[i], name[i], ""))
    return s ")"
}

# Lists in braces: one number of them fits into no int, so that they are no hy_ints, of which the first is a count.
function strict(text) { print "    (void)sizeof((" text ", 0));" }
function in_braces(fn, lists,    i)
{
    for (only = 0; only <= (lists > 1 ? lists : 0); only++) {
        listed = "{1, 5000000000}"
        strict(call(fn, "&o", "x", 1))
        if (optional) strict(call(fn, "o", "x", 1))
        if (operators) strict(formula(fn))
    }
    if (fn != "hy_infer_shape") {                       # which asks for a call that runs
        print "    BEGIN(\"" fn ", numbers in braces\");"
        only = 99
        way(call(fn, "&o", "x", 1))
        only = 0
        listed = "{1, 0}"
        way(call(fn, "&o", "x", 1))
        if (operators) way(formula(fn))
    }
    listed = ""
}

function prototype(s,    fn, ret, list, i, a, groups, lists)
{
    sub(/^HY_API[ \t]*/, "", s)
    i = index(s, "(")
    list = substr(s, i + 1)
    sub(/\)[ \t]*$/, "", list)
    s = trim(substr(s, 1, i - 1))
    fn = s
    sub(/.*[ *]/, "", fn)
    ret = trim(substr(s, 1, length(s) - length(fn)))
    if (fn ~ /^hy__/ || list ~ /\.\.\./) return
    n = split(list, param, /,/)
    optional = groups = lists = 0
    for (i = 1; i <= n; i++) {
        a = trim(param[i])
        name[i] = a
        sub(/.*[ *]/, "", name[i])
        type[i] = trim(substr(a, 1, length(a) - length(name[i])))
        gsub(/[ \t]+/, " ", type[i])
        if (grouped(fn, type[i], name[i])) groups = 1
        if (type[i] ~ /^hy_(ints|shape|reals)$/) lists++
    }
    if (type[n] ~ /^const hy_([a-z0-9_]+_opt|desc|init) \*$/ && fn != "hy_init_load") optional = n  # it keeps that
    if (!operators && !optional && !groups && !lists) return
    is_void = ret == "void" || fn == "hy_add_param"             # whose values are not there yet
    count++
    if (fn == "hy_export_c") print "\n#ifdef HYBRID_SOURCE";
    print "\nstatic void call_" fn "()\n{"
    if (optional) {
        a = type[n]
        gsub(/^const | \*$/, "", a)
        print "    " a " o = " a "();"
    }
    if (lists) in_braces(fn, lists)
    if (fn == "hy_infer_shape") { print "}"; all = all "    call_" fn "();\n"; return }
    print "    BEGIN(\"" fn "\");"
    way(call(fn, "&o", "hy_group(F, x, y)", 1))
    if (optional) way(call(fn, "o", "hy_group(F, x, y)", 1))
    if (groups) {
        way(call(fn, "&o", "{x, y}", 1))
        if (optional) way(call(fn, "o", "{x, y}", 1))
        print "    BEGIN(\"" fn ", one in braces\");"
        way(call(fn, "&o", "x", 1))
        way(call(fn, "&o", "{v}", 1))
        if (optional) way(call(fn, "o", "{v}", 1))
    }
    if (operators) {
        print "    BEGIN(\"" fn " on values\");"
        way(call(fn, "&o", "hy_group(F, x, x)", 1))
        way(formula(fn))
    }
    print "}"
    if (fn == "hy_export_c") {
        print "#else\nstatic void call_hy_export_c() {}\n#endif"
    }
    all = all "    call_" fn "();\n"
}

BEGIN {
    print "// Made by tests/front.awk."
    print "#include \"hybrid.h\""
    print "#include \"front.h\""
}
/MARK: - .*>>operators/ { operators = inside = 1 }
/MARK: - .*>>api/ { operators = 0 }
/MARK: - .*>>cpp/ { inside = 0 }
inside {
    line = $0
    gsub(/\/\*[^*]*\*\//, "", line)
    sub(/\/\*.*/, "", line)
    if (line ~ /^HY_API/) pending = ""
    else if (pending == "") next
    pending = pending " " trim(line)
    if (line ~ /;[ \t]*$/) {
        pending = trim(pending)
        sub(/;$/, "", pending)
        prototype(pending)
        pending = ""
    }
}
END {
    print "\nint main()\n{\n    front_begin();\n" all "    return front_end(" count ");\n}"
    exit failed
}
