/* What MSVC's own library has and mingw's names otherwise: a mark that floats are used, and the probe of large stacks. */
int _fltused = 1;
__asm__(".text\n.globl __chkstk\n__chkstk: jmp ___chkstk_ms\n");
