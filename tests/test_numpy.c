/* Operators of MXNet's numpy interface and their kin in files: what MXNet 1.9.1 gives, numpy where that is wrong; line by line,
 * compiled, written and read again, gradients too. */

/* "f(2,3) 1 2 3 4 5 6": f32 d f64 h f16 i i32 l i64 c i8 u u8 o bool; one value for all; several with " ; ", "-" for none. */
typedef struct numpy_case { const char *op, *attrs; int np; const char *in, *out, *grads; } numpy_case;
static const numpy_case numpy_cases[] = {
    { "_linalg_potrf", "\"lower\": \"False\"", 0, "f(2,2) 4 2 2 10", "f(2,2) 2 1 0 3", "f(2,2) 0.1666667 0.1666667 "
      "0.1666667 0.1666667" },
    { "_linalg_potrf", "\"lower\": \"True\"", 0, "f(2,2) 4 2 2 10", "f(2,2) 2 0 1 3", "f(2,2) 0.1666667 0.1666667 0.1666667 "
      "0.1666667" },
    { "_npi_cholesky", "\"lower\": \"False\"", 1, "f(2,2) 4 2 2 10", "f(2,2) 2 1 0 3", "f(2,2) 0.1666667 0.1666667 "
      "0.1666667 0.1666667" },
    { "_npi_cholesky", "\"lower\": \"True\"", 1, "f(2,2) 4 2 2 10", "f(2,2) 2 0 1 3", "f(2,2) 0.1666667 0.1666667 0.1666667 "
      "0.1666667" },
    { "_linalg_potri", "\"lower\": \"True\"", 0, "f(2,2) 2 0 1 3", "f(2,2) 0.2777778 -0.05555556 -0.05555556 0.1111111",
      "f(2,2) -0.2222222 0 -0.05555556 -0.01851852" },
    { "_linalg_potri", "\"lower\": \"False\"", 0, "f(2,2) 2 1 0 3", "f(2,2) 0.2777778 -0.05555556 -0.05555556 0.1111111",
      "f(2,2) -0.2222222 -0.05555556 0 -0.01851852" },
    { "_linalg_potri", "\"lower\": \"False\"", 0, "f(2,2) 2 0 1 3", "f(2,2) 0.25 -0 -0 0.1111111", "f(2,2) -0.25 -0.1111111 "
      "0 -0.07407408" },
    { "_np_any", "", 1, "f(0) ", "o() 0", "f(0) " },
    { "_np_any", "\"axis\": \"(1,)\"", 1, "i(2,0) ", "o(2) 0 0", NULL },
    { "_np_any", "\"axis\": \"(1,)\", \"keepdims\": \"True\"", 1, "o(2,0) ", "o(2,1) 0 0", NULL },
    { "_np_any", "\"axis\": \"(0,)\"", 1, "c(2,3) 0 1 0 0 1 1", "o(3) 0 1 1", NULL },
    { "_np_all", "", 1, "f(0) ", "o() 1", "f(0) " },
    { "_np_all", "\"axis\": \"(1,)\"", 1, "i(2,0) ", "o(2) 1 1", NULL },
    { "_np_all", "\"axis\": \"(1,)\", \"keepdims\": \"True\"", 1, "o(2,0) ", "o(2,1) 1 1", NULL },
    { "_np_all", "\"axis\": \"(0,)\"", 1, "c(2,3) 0 1 0 0 1 1", "o(3) 0 1 0", NULL },
    { "_npi_broadcast_to", "\"shape\": \"(2, 4, 0)\"", 1, "f(1,1) -1", "f(2,4,0) ", "f(1,1) 0" },
    { "_npi_broadcast_to", "\"shape\": \"(2, 4, 0)\"", 1, "f() 1.5", "f(2,4,0) ", "f() 0" },
    { "_npi_broadcast_to", "\"shape\": \"(0,)\"", 1, "f() -1.25", "f(0) ", "f() 0" },
    { "_npi_broadcast_to", "\"shape\": \"(2, -2)\"", 1, "f(3) 1.75 -0 0.5", "f(2,3) 1.75 -0 0.5 1.75 -0 0.5", "f(3) 2 2 2" },
    { "_npi_broadcast_to", "\"shape\": \"(2, -2, -2)\"", 1, "f(1,3) 1 0 -0.75", "f(2,1,3) 1 0 -0.75 1 0 -0.75", "f(1,3) 2 2 "
      "2" },
    { "_npi_broadcast_to", "\"shape\": \"(3, -2, 0)\"", 1, "f(2,0) ", "f(3,2,0) ", "f(2,0) " },
    { "_npi_broadcast_to", "\"shape\": \"(0, -2)\"", 1, "f(3) -1.25 -1.75 1", "f(0,3) ", "f(3) 0 0 0" },
    { "_npi_broadcast_to", "\"shape\": \"(1, 0, -2, 2)\"", 1, "f(3,1) -0.25 -1.25 1.5", "f(1,0,3,2) ", "f(3,1) 0 0 0" },
    { "_npi_broadcast_to", "\"shape\": \"(2, 3)\"", 1, "f(1,3) -1 -0.25 -0.75", "f(2,3) -1 -0.25 -0.75 -1 -0.25 -0.75",
      "f(1,3) 2 2 2" },
    { "_np_reshape", "\"newshape\": \"(2, 4, 0)\", \"order\": \"C\"", 1, "f(0) ", "f(2,4,0) ", "f(0) " },
    { "_np_reshape", "\"newshape\": \"(0,)\", \"order\": \"C\"", 1, "f(2,0) ", "f(0) ", "f(2,0) " },
    { "_np_reshape", "\"newshape\": \"(0, 2)\", \"order\": \"C\"", 1, "f(0,3) ", "f(0,2) ", "f(0,3) " },
    { "_npx_reshape", "\"newshape\": \"(2, 0)\"", 1, "f(2,0) ", "f(2,0) ", "f(2,0) " },
    { "_np_squeeze", "\"axis\": \"None\"", 1, "f(1,1,1) 0.5", "f() 0.5", "f(1,1,1) 1" },
    { "_np_squeeze", "\"axis\": \"None\"", 1, "f(1,3,1) 0.25 0.5 -1", "f(3) 0.25 0.5 -1", "f(1,3,1) 1 1 1" },
    { "_np_squeeze", "\"axis\": \"-1\"", 1, "f() -0.75", "f() -0.75", "f() 1" },
    { "_np_squeeze", "\"axis\": \"0\"", 1, "f() -1", "f() -1", "f() 1" },
    { "_np_squeeze", "\"axis\": \"(0, 2)\"", 1, "f(1,3,1) -0.75 -1.5 -1.25", "f(3) -0.75 -1.5 -1.25", "f(1,3,1) 1 1 1" },
    { "_arange", "\"start\": \"1.3\", \"stop\": \"6\", \"step\": \"1.3\", \"dtype\": \"int32\"", 1, "", "i(4) 1 2 3 4", NULL },
    { "_arange", "\"start\": \"1.3\", \"stop\": \"6\", \"step\": \"1.3\", \"dtype\": \"uint8\"", 1, "", "u(4) 1 2 3 4", NULL },
    { "_arange", "\"start\": \"1.3\", \"stop\": \"6\", \"step\": \"1.3\", \"dtype\": \"float32\"", 1, "", "f(4) 1.3 2.6 3.9 "
      "5.2", NULL },
    { "_npi_arange", "\"start\": \"5.7\", \"stop\": \"0\", \"step\": \"-1.5\", \"dtype\": \"int64\"", 1, "", "l(4) 5 4 3 "
      "2", NULL },
    { "_contrib_arange_like", "\"start\": \"1.5\", \"step\": \"1.5\"", 1, "i(2,2) 0 0 0 0", "i(2,2) 1 2 3 4", NULL },
    { "_npi_true_divide", "", 1, "o(2) 1 0 ; o(2) 1 1", "f(2) 1 0", NULL },
    { "_npi_true_divide", "", 1, "i(2) 3 -4 ; i(2) 2 3", "f(2) 1.5 -1.333333", NULL },
    { "_npi_true_divide", "", 1, "i(2) 3 -4 ; f(2) 2 -0.5", "f(2) 1.5 8", "- ; f(2) -0.75 16" },
    { "_npi_true_divide", "", 1, "f(2,2) 1.75 1.75 -1.25 -2 ; f(2) 2 -0.5", "f(2,2) 0.875 -3.5 -0.625 4", "f(2,2) 0.5 -2 "
      "0.5 -2 ; f(2) -0.125 1" },
    { "_npi_true_divide_scalar", "\"scalar\": \"2\", \"is_int\": \"True\"", 1, "o(2) 1 0", "f(2) 0.5 0", NULL },
    { "_npi_true_divide_scalar", "\"scalar\": \"2.5\", \"is_int\": \"False\"", 1, "i(2) 3 -4", "f(2) 1.2 -1.6", NULL },
    { "_npi_true_divide_scalar", "\"scalar\": \"1\"", 1, "u(1) 3", "f(1) 3", NULL },
    { "_npi_true_divide_scalar", "\"scalar\": \"2\"", 1, "f(3) -1.25 0.75 1", "f(3) -0.625 0.375 0.5", "f(3) 0.5 0.5 0.5" },
    { "_npi_rtrue_divide_scalar", "\"scalar\": \"3\", \"is_int\": \"True\"", 1, "o(2) 1 1", "f(2) 3 3", NULL },
    { "_npi_rtrue_divide_scalar", "\"scalar\": \"3\"", 1, "i(2) 3 -4", "f(2) 1 -0.75", NULL },
    { "_npi_rtrue_divide_scalar", "\"scalar\": \"3\"", 1, "d(2) 0.5 -2", "d(2) 6 -1.5", "d(2) -12 -0.75" },
    { "_npi_average", "\"axis\": \"None\", \"returned\": \"True\"", 1, "f(2,3) 0.5 1.25 1.75 1.75 1.25 -1.5 ; f(2,3) 1 3.25 "
      "1 3 3.5 5", "f() 0.5037314 ; f() 16.75", "f(2,3) 0.05970149 0.1940299 0.05970149 0.1791045 0.2089552 0.2985075 ; -" },
    { "_npi_average", "\"axis\": \"None\", \"returned\": \"True\", \"weighted\": \"False\"", 1, "f(2,3) -0.5 -1.75 0.25 "
      "1.25 -1.75 -1.25", "f() -0.625 ; f() 6", "f(2,3) 0.1666667" },
    { "_npi_average", "\"axis\": \"0\"", 1, "f(2,3) -0.5 -1 1.25 -0.5 0.5 -0 ; f(2) 2 4.25", "f(3) -0.5 0.02 0.4", "f(2,3) "
      "0.32 0.32 0.32 0.68 0.68 0.68 ; f(2) -0.02719998 0.01279999" },
    { "_npi_average", "\"axis\": \"1\"", 1, "f(2,3) 0.25 1.75 1.75 -1.5 1.25 -0.5 ; f(3) 4.5 4.75 1", "f(2) 1.091463 "
      "-0.1280488", "f(2,3) 0.4390244 0.4634146 0.09756097 0.4390244 0.4634146 0.09756097 ; f(3) -0.2159429 0.1986913 "
      "0.02795955" },
    { "_npi_average", "\"axis\": \"-1\"", 1, "f(2,3) -1.5 -0.5 0 1.75 -0.5 -2 ; f(3) 3 5 2.5", "f(2) -0.6666667 "
      "-0.2142857", "f(2,3) 0.2857143 0.4761905 0.2380952 0.2857143 0.4761905 0.2380952 ; f(3) 0.1077098 -0.01133787 "
      "-0.106576" },
    { "_npi_average", "\"axis\": \"1\"", 1, "f(2,3) 1.5 -1.5 -0 1.5 0 -0.25 ; f(2,3) 4.25 3.25 4 3 1 1.25", "f(2) 0.1304348 "
      "0.797619", "f(2,3) 0.3695652 0.2826087 0.3478261 0.5714286 0.1904762 0.2380952 ; f(2,3) 0.1190926 -0.1417769 "
      "-0.01134215 0.1337868 -0.1519274 -0.1995465" },
    { "_npi_average", "\"axis\": \"(0, 1)\"", 1, "f(2,3) 1.25 -2 0.25 -0.25 2 1.25 ; f(2,3) 1.5 2 4.75 3.5 4.25 3.25", "f() "
      "0.5584416", "f(2,3) 0.07792208 0.1038961 0.2467532 0.1818182 0.2207792 0.1688312 ; f(2,3) 0.03592511 -0.1329061 "
      "-0.01602294 -0.04199696 0.07488616 0.03592511" },
    { "_npi_average", "\"axis\": \"1\"", 1, "f(2,3,2) -1.75 -1.25 -0.25 0.75 -0.75 -0.5 1.75 1.75 -0.25 1.5 -0.75 -1.75 ; "
      "f(3) 3 3.75 4.5", "f(2,2) -0.85 -0.2833333 0.08333334 0.2666667", "f(2,3,2) 0.2666667 0.2666667 0.3333333 0.3333333 "
      "0.4 0.4 0.2666667 0.2666667 0.3333333 0.3333333 0.4 0.4 ; f(3) 0.1140741 0.2251852 -0.2637037" },
    { "_npi_average", "\"axis\": \"(0, 2)\"", 1, "f(2,3,2) 1.75 1 1 0.75 0.75 1 2 -0.5 -1.75 -1 -1 -0.5 ; f(2,3,2) 4.25 "
      "1.25 2.75 4.25 2 1.25 2 1.25 4.25 1.75 1.75 4.25", "f(3) 1.378571 -0.25 -0.1216216", "f(2,3,2) 0.4857143 0.1428571 "
      "0.2115385 0.3269231 0.2162162 0.1351351 0.2285714 0.1428571 0.3269231 0.1346154 0.1891892 0.4594595 ; f(2,3,2) "
      "0.04244898 -0.04326531 0.09615385 0.07692308 0.09422936 0.1212564 0.0710204 -0.2146939 -0.1153846 -0.05769231 "
      "-0.09495983 -0.04090577" },
    { "_npi_argmax", "\"axis\": \"0\", \"keepdims\": \"False\"", 1, "f() 3", "l() 0", "f() 0" },
    { "_npi_argmax", "\"axis\": \"-1\", \"keepdims\": \"False\"", 1, "f() 3", "l() 0", "f() 0" },
    { "_npi_argmax", "\"axis\": \"None\", \"keepdims\": \"False\"", 1, "f() 3", "l() 0", "f() 0" },
    { "_npi_argmin", "\"axis\": \"0\", \"keepdims\": \"False\"", 1, "f() 3", "l() 0", "f() 0" },
    { "_npi_argmin", "\"axis\": \"-1\", \"keepdims\": \"False\"", 1, "f() 3", "l() 0", "f() 0" },
    { "_npi_argmin", "\"axis\": \"None\", \"keepdims\": \"False\"", 1, "f() 3", "l() 0", "f() 0" },
    { "_npi_argmax", "\"axis\": \"0\"", 1, "f(2,3) 1.25 0.25 1.75 -1.75 1.75 0.25", "l(3) 0 1 0", "f(2,3) 0" },
    { "_npi_bitwise_and", "", 1, "i(2,3) 5 0 -1 77 1 100 ; i(3) 3 1 -7", "i(2,3) 1 0 -7 1 1 96", NULL },
    { "_npi_bitwise_and", "", 1, "u(2) 5 200 ; u(2) 3 77", "u(2) 1 72", NULL },
    { "_npi_bitwise_and", "", 1, "c(2) -5 100 ; c(2) 3 -77", "c(2) 3 32", NULL },
    { "_npi_bitwise_and", "", 1, "l(2) 1099511627776 -7 ; l(2) -1 8589934592", "l(2) 1099511627776 8589934592", NULL },
    { "_npi_bitwise_and", "", 1, "o(3) 1 0 1 ; o(3) 1 1 0", "o(3) 1 0 0", NULL },
    { "_npi_bitwise_or", "", 1, "i(2,3) 5 0 -1 77 1 100 ; i(3) 3 1 -7", "i(2,3) 7 1 -1 79 1 -3", NULL },
    { "_npi_bitwise_or", "", 1, "u(2) 5 200 ; u(2) 3 77", "u(2) 7 205", NULL },
    { "_npi_bitwise_or", "", 1, "c(2) -5 100 ; c(2) 3 -77", "c(2) -5 -9", NULL },
    { "_npi_bitwise_or", "", 1, "l(2) 1099511627776 -7 ; l(2) -1 8589934592", "l(2) -1 -7", NULL },
    { "_npi_bitwise_or", "", 1, "o(3) 1 0 1 ; o(3) 1 1 0", "o(3) 1 1 1", NULL },
    { "_npi_bitwise_xor", "", 1, "i(2,3) 5 0 -1 77 1 100 ; i(3) 3 1 -7", "i(2,3) 6 1 6 78 0 -99", NULL },
    { "_npi_bitwise_xor", "", 1, "u(2) 5 200 ; u(2) 3 77", "u(2) 6 133", NULL },
    { "_npi_bitwise_xor", "", 1, "c(2) -5 100 ; c(2) 3 -77", "c(2) -8 -41", NULL },
    { "_npi_bitwise_xor", "", 1, "l(2) 1099511627776 -7 ; l(2) -1 8589934592", "l(2) -1099511627777 -8589934599", NULL },
    { "_npi_bitwise_xor", "", 1, "o(3) 1 0 1 ; o(3) 1 1 0", "o(3) 0 1 1", NULL },
    { "_npi_bitwise_not", "", 1, "i(3) 5 -1 0", "i(3) -6 0 -1", NULL },
    { "_npi_bitwise_not", "", 1, "u(2) 5 255", "u(2) 250 0", NULL },
    { "_npi_bitwise_not", "", 1, "c(2) -5 127", "c(2) 4 -128", NULL },
    { "_npi_bitwise_not", "", 1, "l(1) 1099511627776", "l(1) -1099511627777", NULL },
    { "_npi_bitwise_not", "", 1, "o(2) 1 0", "o(2) 0 1", NULL },
    { "_npi_pad", "\"pad_width\": \"((2, 3), (2, 3))\", \"mode\": \"reflect\", \"reflect_type\": \"even\"", 1, "f(1,5) "
      "-0.75 1.25 0.75 2 -1.5", "f(6,10) 0.75 1.25 -0.75 1.25 0.75 2 -1.5 2 0.75 1.25 0.75 1.25 -0.75 1.25 0.75 2 -1.5 2 "
      "0.75 1.25 0.75 1.25 -0.75 1.25 0.75 2 -1.5 2 0.75 1.25 0.75 1.25 -0.75 1.25 0.75 2 -1.5 2 0.75 1.25 0.75 1.25 -0.75 "
      "1.25 0.75 2 -1.5 2 0.75 1.25 0.75 1.25 -0.75 1.25 0.75 2 -1.5 2 0.75 1.25", NULL },
    { "_npi_pad", "\"pad_width\": \"((5, 0), (7, 4))\", \"mode\": \"reflect\", \"reflect_type\": \"even\"", 1, "f(2,3) 0.25 "
      "-0 0.5 -1 -2 0.25", "f(7,14) -2 0.25 -2 -1 -2 0.25 -2 -1 -2 0.25 -2 -1 -2 0.25 -0 0.5 -0 0.25 -0 0.5 -0 0.25 -0 0.5 "
      "-0 0.25 -0 0.5 -2 0.25 -2 -1 -2 0.25 -2 -1 -2 0.25 -2 -1 -2 0.25 -0 0.5 -0 0.25 -0 0.5 -0 0.25 -0 0.5 -0 0.25 -0 0.5 "
      "-2 0.25 -2 -1 -2 0.25 -2 -1 -2 0.25 -2 -1 -2 0.25 -0 0.5 -0 0.25 -0 0.5 -0 0.25 -0 0.5 -0 0.25 -0 0.5 -2 0.25 -2 -1 "
      "-2 0.25 -2 -1 -2 0.25 -2 -1 -2 0.25", NULL },
    { "_npi_pad", "\"pad_width\": \"((0, 0), (2, 2))\", \"mode\": \"reflect\"", 1, "f(2,3) -0.5 1.5 -0.25 -0.25 0.5 0",
      "f(2,7) -0.25 1.5 -0.5 1.5 -0.25 1.5 -0.5 0 0.5 -0.25 0.5 0 0.5 -0.25", NULL },
    { "_npi_pad", "\"pad_width\": \"((2, 3), (2, 3))\", \"mode\": \"reflect\"", 1, "c(1,5) 1 2 3 4 5", "c(6,10) 3 2 1 2 3 4 "
      "5 4 3 2 3 2 1 2 3 4 5 4 3 2 3 2 1 2 3 4 5 4 3 2 3 2 1 2 3 4 5 4 3 2 3 2 1 2 3 4 5 4 3 2 3 2 1 2 3 4 5 4 3 2", NULL },
    { "_npi_pad", "\"pad_width\": \"((2, 3), (2, 3))\", \"mode\": \"symmetric\", \"reflect_type\": \"even\"", 1, "f(1,5) "
      "1.75 1.25 -0 -1.25 0.5", "f(6,10) 1.25 1.75 1.75 1.25 -0 -1.25 0.5 0.5 -1.25 -0 1.25 1.75 1.75 1.25 -0 -1.25 0.5 0.5 "
      "-1.25 -0 1.25 1.75 1.75 1.25 -0 -1.25 0.5 0.5 -1.25 -0 1.25 1.75 1.75 1.25 -0 -1.25 0.5 0.5 -1.25 -0 1.25 1.75 1.75 "
      "1.25 -0 -1.25 0.5 0.5 -1.25 -0 1.25 1.75 1.75 1.25 -0 -1.25 0.5 0.5 -1.25 -0", NULL },
    { "_npi_pad", "\"pad_width\": \"((5, 0), (7, 4))\", \"mode\": \"symmetric\", \"reflect_type\": \"even\"", 1, "f(2,3) 1 "
      "1 2 -1.25 -0.25 -0.25", "f(7,14) 1 1 1 2 2 1 1 1 1 2 2 1 1 1 1 1 1 2 2 1 1 1 1 2 2 1 1 1 -1.25 -1.25 -0.25 -0.25 "
      "-0.25 -0.25 -1.25 -1.25 -0.25 -0.25 -0.25 -0.25 -1.25 -1.25 -1.25 -1.25 -0.25 -0.25 -0.25 -0.25 -1.25 -1.25 -0.25 "
      "-0.25 -0.25 -0.25 -1.25 -1.25 1 1 1 2 2 1 1 1 1 2 2 1 1 1 1 1 1 2 2 1 1 1 1 2 2 1 1 1 -1.25 -1.25 -0.25 -0.25 -0.25 "
      "-0.25 -1.25 -1.25 -0.25 -0.25 -0.25 -0.25 -1.25 -1.25", NULL },
    { "_npi_pad", "\"pad_width\": \"((0, 0), (2, 2))\", \"mode\": \"symmetric\"", 1, "f(2,3) -0.75 -0.5 -0 0.25 -1 -1.5",
      "f(2,7) -0.5 -0.75 -0.75 -0.5 -0 -0 -0.5 -1 0.25 0.25 -1 -1.5 -1.5 -1", NULL },
    { "_npi_pad", "\"pad_width\": \"((2, 3), (2, 3))\", \"mode\": \"symmetric\"", 1, "c(1,5) 1 2 3 4 5", "c(6,10) 2 1 1 2 3 "
      "4 5 5 4 3 2 1 1 2 3 4 5 5 4 3 2 1 1 2 3 4 5 5 4 3 2 1 1 2 3 4 5 5 4 3 2 1 1 2 3 4 5 5 4 3 2 1 1 2 3 4 5 5 4 3", NULL },
    { "_npi_hsplit", "\"indices\": \"(0, 3, 4)\", \"axis\": \"1\", \"squeeze_axis\": \"False\", \"sections\": \"0\"", 1,
      "f(6) -0.75 -1.5 -0.75 0.75 0.5 2", "f(3) -0.75 -1.5 -0.75 ; f(1) 0.75 ; f(2) 0.5 2", "f(6) 1" },
    { "_npi_hsplit", "\"indices\": \"(0, 3, 4)\", \"axis\": \"1\", \"squeeze_axis\": \"False\", \"sections\": \"0\"", 1,
      "f(2,6) 0.25 0.25 0.5 1 0.5 0.25 0.5 -0.5 1 0.5 -0.75 -1", "f(2,3) 0.25 0.25 0.5 0.5 -0.5 1 ; f(2,1) 1 0.5 ; f(2,2) "
      "0.5 0.25 -0.75 -1", "f(2,6) 1" },
    { "_npi_hsplit", "\"indices\": \"(0, 3, 4)\", \"axis\": \"1\", \"squeeze_axis\": \"False\", \"sections\": \"0\"", 1,
      "f(3,0,2) ", "f(3,0,2)  ; f(3,0,2)  ; f(3,0,2) ", "f(3,0,2) " },
    { "_npi_hsplit", "\"indices\": \"()\", \"axis\": \"1\", \"squeeze_axis\": \"False\", \"sections\": \"3\"", 1, "f(6) "
      "-1.75 -0.5 -2 -1.25 -1.75 -1", "f(2) -1.75 -0.5 ; f(2) -2 -1.25 ; f(2) -1.75 -1", "f(6) 1" },
    { "_npi_hsplit", "\"indices\": \"()\", \"axis\": \"1\", \"squeeze_axis\": \"False\", \"sections\": \"3\"", 1, "f(2,6) "
      "-0.5 0.25 1 0.5 -1.25 1.5 1 -0 0.5 0 -1.25 0.5", "f(2,2) -0.5 0.25 1 -0 ; f(2,2) 1 0.5 0.5 0 ; f(2,2) -1.25 1.5 "
      "-1.25 0.5", "f(2,6) 1" },
    { "_npi_hsplit", "\"indices\": \"()\", \"axis\": \"1\", \"squeeze_axis\": \"False\", \"sections\": \"3\"", 1, "f(3,0,2) "
      "", "f(3,0,2)  ; f(3,0,2)  ; f(3,0,2) ", "f(3,0,2) " },
    { "_split_v2", "\"indices\": \"(0, 2, 5)\", \"axis\": \"0\"", 1, "f(0,3) ", "f(0,3)  ; f(0,3)  ; f(0,3) ", "f(0,3) " },
    { "_npi_tril", "\"k\": \"-1\"", 1, "f(3) 2 1 -1.25", "f(3,3) 0 0 0 2 0 0 2 1 0", "f(3) 2 1 0" },
    { "_npi_tril", "\"k\": \"0\"", 1, "f(3) -1.5 1.75 1.75", "f(3,3) -1.5 0 0 -1.5 1.75 0 -1.5 1.75 1.75", "f(3) 3 2 1" },
    { "_npi_tril", "\"k\": \"2\"", 1, "f(3) 1 1 -1.5", "f(3,3) 1 1 -1.5 1 1 -1.5 1 1 -1.5", "f(3) 3 3 3" },
    { "_npi_tril", "\"k\": \"1\"", 1, "i(3) 1 2 3", "i(3,3) 1 2 0 1 2 3 1 2 3", NULL },
    { "_npi_tril", "\"k\": \"0\"", 1, "f(0) ", "f(0,0) ", "f(0) " },
    { "_npi_matmul", "", 1, "f(3) 1.25 -1.25 -1.5 ; f(3) -0.25 -2 1.5", "f() -0.0625", "f(3) -0.25 -2 1.5 ; f(3) 1.25 -1.25 "
      "-1.5" },
    { "_npi_matmul", "", 1, "f(2,3) -1.25 1 0.25 1 0.5 1.75 ; f(3) -0.5 -0 -0.75", "f(2) 0.4375 -1.8125", "f(2,3) -0.5 0 "
      "-0.75 -0.5 0 -0.75 ; f(3) -0.25 1.5 2" },
    { "_npi_matmul", "", 1, "f(3) 1 -0.75 1.25 ; f(3,2) -1.75 -1 -0.25 -1.5 -1.25 1.25", "f(2) -3.125 1.6875", "f(3) -2.75 "
      "-1.75 0 ; f(3,2) 1 1 -0.75 -0.75 1.25 1.25" },
    { "_npi_matmul", "", 1, "f(2,2,3) -0.5 -1.25 1.5 0.25 0.5 1.5 0.75 -1 -2 0.25 0.75 1.25 ; f(3,2) -1.25 0.5 1.75 -1 "
      "-0.75 -0.25", "f(2,2,2) -2.6875 0.625 -0.5625 -0.75 -1.1875 1.875 0.0625 -0.9375", "f(2,2,3) -0.75 0.75 -1 -0.75 "
      "0.75 -1 -0.75 0.75 -1 -0.75 0.75 -1 ; f(3,2) 0.75 0.75 -1 -1 2.25 2.25" },
    { "_npi_matmul", "", 1, "f(2,3) 0.25 2 0.25 1.5 0.5 -0 ; f(2,3,2) -0.75 -0.5 1 -1.25 -1.5 -1.25 0.75 -0.5 -1.25 -0.75 "
      "-1.75 -0.25", "f(2,2,2) 1.4375 -2.9375 -0.625 -1.375 -2.75 -1.6875 0.5 -1.125", "f(2,3) -1 -2.25 -4.75 -1 -2.25 "
      "-4.75 ; f(2,3,2) 1.75 1.75 2.5 2.5 0.25 0.25 1.75 1.75 2.5 2.5 0.25 0.25" },
    { "_npi_matmul", "", 1, "f(2,2,3) 1.25 -0.25 -0.25 -2 -1 -1.75 -1.75 1.5 0.75 1.25 -1.5 -0.5 ; f(2,3,1) 1.75 -0.25 1.75 "
      "1.75 -2 -0.25", "f(2,2,1) 1.8125 -6.3125 -6.25 5.3125", "f(2,2,3) 1.75 -0.25 1.75 1.75 -0.25 1.75 1.75 -2 -0.25 1.75 "
      "-2 -0.25 ; f(2,3,1) -0.75 -1.25 -2 -0.5 0 0.25" },
    { "_npi_matmul", "", 1, "f(2,2,3) 0.25 -0.5 -0.5 -0.5 -1 -2 1 2 -1.75 1.5 0.25 -2 ; f(3) -1.75 0 -1.5", "f(2,2) 0.3125 "
      "3.875 0.875 0.375", "f(2,2,3) -1.75 0 -1.5 -1.75 0 -1.5 -1.75 0 -1.5 -1.75 0 -1.5 ; f(3) 2.25 0.75 -6.25" },
    { "argmax_channel", "", 0, "f(2,5,2) -0.75 -1 2 -0 -0.75 1.75 1.75 1 -1.5 1.5 -0.25 1.25 1 0.5 1 1.25 -0.25 -0 -1.5 "
      "-0.5", "f(2,2) 1 2 1 0", NULL },
    { "argmax_channel", "", 0, "f(3,4) 1.5 -1 1 1.25 -1.25 1 0.75 2 -0.5 1 1.5 -0.5", "f(3) 0 3 2", NULL },
    { "_linalg_gemm", "\"axis\": \"0\", \"alpha\": \"2\", \"beta\": \"0.5\", \"transpose_a\": \"True\"", 0, "f(2,2,2) -1 "
      "-0.5 0.5 -1 1.5 -0.75 1 -0.75 ; f(2,2,2) 0 1.5 -0 0.5 -0.75 -0.25 -1.75 0 ; f(2,2,2) -0.25 -0.75 -1.25 -0.75 -0.75 "
      "-0.5 1.25 1.5", "f(2,2,2) -2.375 -4.125 -4.125 0.125 0.75 -1.375 3.25 -0.25", "f(2,2,2) 3 3 1 1 -2 -2 -3.5 -3.5 ; "
      "f(2,2,2) -3 -3 -1 -1 1.5 1.5 0.5 0.5 ; f(2,2,2) 0.5" },
    { "_linalg_gemm", "\"axis\": \"-3\", \"alpha\": \"2\", \"beta\": \"0.5\", \"transpose_a\": \"True\"", 0, "f(2,2,2) 1.75 "
      "-0.25 1.5 0.25 2 -1.5 1 0.25 ; f(2,2,2) 0 1 1.25 1.25 -0.5 -0.5 0.5 -1.75 ; f(2,2,2) 1.25 0.25 -0.25 0.5 1.75 1.25 "
      "0.5 -1.25", "f(2,2,2) -1.375 1.625 4.625 0.5 2.375 1.625 1.125 -0.875", "f(2,2,2) 2 2 5 5 -2 -2 -2.5 -2.5 ; f(2,2,2) "
      "3 3 3.5 3.5 1 1 2.5 2.5 ; f(2,2,2) 0.5" },
    { "_linalg_gemm", "\"axis\": \"-2\", \"alpha\": \"2\", \"beta\": \"0.5\", \"transpose_a\": \"True\"", 0, "f(2,2,2) 2 "
      "-0.5 1.5 0 0.75 1.5 -1.75 -0.75 ; f(2,2,2) -1.25 -1.75 -0.75 1.75 -1 -1.5 1.75 -0 ; f(2,2,2) -0 0.75 1.25 -1 -1.25 "
      "-0.25 1.5 1.75", "f(2,2,2) -7.25 -1.375 1.875 1.25 -8.25 -2.375 -4.875 -3.625", "f(2,2,2) -6 -6 2 2 -5 -5 3.5 3.5 ; "
      "f(2,2,2) 3 3 3 3 4.5 4.5 -5 -5 ; f(2,2,2) 0.5" },
    { "CTCLoss", "\"use_data_lengths\": \"True\", \"use_label_lengths\": \"True\", \"blank_label\": \"last\"", 0,
      "f(25,2,4) 1 ; f(2,4) 2 1 3 3 3 2 2 3 ; f(2) 20 20 ; f(2) 2 3", "f(2) 18.82821 16.50582", NULL },
    { "CTCLoss", "\"use_label_lengths\": \"True\", \"blank_label\": \"last\"", 0, "f(20,2,4) 1 ; f(2,4) 2 1 2 2 3 2 2 2 ; "
      "f(2) 2 3", "f(2) 18.82821 16.50582", NULL },
    { "CTCLoss", "\"use_data_lengths\": \"True\", \"blank_label\": \"last\"", 0, "f(25,2,4) 1 ; f(2,4) 2 1 -1 -1 3 2 2 -1 ; "
      "f(2) 20 20", "f(2) 18.82821 16.50582", NULL },
    { "_npx_nonzero", "", 1, "i() 3", "l(1,1) 0", NULL },                 /* as numpy has it; MXNet's executor gives (0,) */
    { "_npx_nonzero", "", 1, "f() 0", "l(0,1)", NULL },
    { "_npi_average", "\"axis\": \"0\", \"returned\": \"True\"", 1, "f(2,3) 1 2 3 4 5 6 ; f(2) 1 3", "f(3) 3.25 4.25 5.25 ; "
      "f(3) 4 4 4", NULL },                                         /* MXNet gives () for the sum, numpy the average's shape */
    { "_npi_average", "\"axis\": \"1\", \"weighted\": \"False\", \"returned\": \"True\"", 1, "f(2,3) 1 2 3 4 5 6", "f(2) 2 5 ; f(2) 3 3", NULL },
};

static hy_array *numpy_array(hy_frame *F, const char **s)
{
    static const char letters[] = "fdhbiluco";
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F16, HY_BF16, HY_I32, HY_I64, HY_U8, HY_I8, HY_BOOL };
    hy_dtype dtype = types[strchr(letters, *(*s)++) - letters];
    hy_shape shape;
    hy_array *x;
    double *v, last = 0;
    char *end;
    int64_t i;
    compound_shape(s, &shape);
    x = hy_cast(F, hy_zeros(F, shape), HY_F64);
    v = (double *)hy_write(F, x);
    for (i = 0; i < hy__size(&shape); i++) {
        double next = strtod(*s, &end);
        if (end > *s) { *s = end; last = next; }
        v[i] = last;
    }
    return hy_cast(F, x, dtype);
}

static int numpy_arrays(hy_frame *F, const char *s, hy_array **x)
{
    int n = 0;
    while (s && *s) {
        x[n++] = *s == '-' ? s++, NULL : numpy_array(F, &s);
        while (*s == ' ' || *s == ';') s++;
    }
    return n;
}

/* A graph of one operator, whose outputs are all heads. */
static hy_graph *numpy_graph(hy_frame *F, const numpy_case *c, int inputs, int outputs)
{
    char text[4000], *to;
    int k;
    compound_text(text, c->op, c->attrs, inputs, c->np);
    to = strstr(text, "\"heads\": ") + 9;
    to += sprintf(to, "[");
    for (k = 0; k < outputs; k++) to += sprintf(to, "%s[%d, %d, 0]", k ? ", " : "", inputs, k);
    sprintf(to, "], \"attrs\": {\"mxnet_version\": [\"int\", 10901], \"is_np_shape\": [\"int\", %d]}}", c->np);
    return hy_symbol_from(F, text, strlen(text));
}

static int numpy_same(hy_frame *F, hy_array *got, hy_array *want)
{
    int64_t i, n;
    const double *a, *b;
    if (!got || !want || hy_dtype_of(F, got) != hy_dtype_of(F, want) || !hy__same_shape(&got->t.type.shape, &want->t.type.shape)) return 0;
    n = hy__size(&want->t.type.shape);
    a = (const double *)hy_data(F, hy_cast(F, got, HY_F64));
    b = (const double *)hy_data(F, hy_cast(F, want, HY_F64));
    for (i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 2e-5 * (1 + fabs(b[i])) || a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))) return 0;
    return !hy_error(F);
}
static int numpy_all_same(hy_frame *F, hy_array *y, hy_array **want, int n)
{
    int k, same = y && hy_count(F, y) == n;
    for (k = 0; k < n && same; k++) same = numpy_same(F, n == 1 ? y : hy_get(F, y, k), want[k]);
    return same;
}

/* The gradients of the sum of all outputs that are real. */
static int numpy_gradients(hy_frame *F, hy_block *net, hy_array **in, int n, hy_array **want)
{
    hy_array *x[4], *y, *head[4];
    int k, heads = 0, same = 1;
    for (k = 0; k < n; k++) {
        x[k] = hy_copy(F, in[k]);
        if (want[k]) hy_attach_grad(F, x[k], HY_GRAD_WRITE);
    }
    hy_record(F);
    y = hy_call(F, net, n == 1 ? x[0] : hy_group_of(F, n, x));
    hy_pause(F);
    for (k = 0; y && k < hy_count(F, y) && k < 4; k++) {
        hy_array *one = hy_count(F, y) == 1 ? y : hy_get(F, y, k);
        if (one->tape) head[heads++] = one;
    }
    if (heads) hy_backward(F, hy_group_of(F, heads, head), NULL);
    for (k = 0; k < n && same; k++)
        if (want[k]) same = numpy_same(F, hy_grad_of(F, x[k]), want[k]);
    return same;
}

static int numpy_walk(hy_frame *F, const numpy_case *c, const char **way)
{
    hy_array *in[4], *out[4], *grads[4], *x, *text;
    int n = numpy_arrays(F, c->in, in), m = numpy_arrays(F, c->out, out), g = numpy_arrays(F, c->grads, grads), round;
    hy_graph *graph = numpy_graph(F, c, n, m);
    hy_import_opt opt = { 0 };
    hy_block *net;
    opt.inputs = n == 4 ? "x0,x1,x2,x3" : n == 3 ? "x0,x1,x2" : n == 2 ? "x0,x1" : n ? "x0" : NULL;
    x = !n ? NULL : n == 1 ? in[0] : hy_group_of(F, n, in);
    *way = "as a graph";
    if (!numpy_all_same(F, hy_graph_run(F, graph, x), out, m)) return 0;
    for (round = 0; round < 2; round++) {
        *way = round ? "read again, line by line" : "line by line";
        net = hy_import_from(F, graph, NULL, &opt);
        if (!numpy_all_same(F, hy_call(F, net, x), out, m)) return 0;
        *way = round ? "read again, gradient" : "gradient";
        if (g && !numpy_gradients(F, net, in, n, grads)) return 0;
        *way = round ? "read again, compiled" : "compiled";
        hy_hybridize(F, net, NULL);
        if (!numpy_all_same(F, hy_call(F, net, x), out, m) || !numpy_all_same(F, hy_call(F, net, x), out, m)) return 0;
        *way = round ? "read again, compiled gradient" : "compiled gradient";
        if (g && !numpy_gradients(F, net, in, n, grads)) return 0;
        *way = "written";
        text = hy_symbol_to(F, graph);
        if (!text) return 0;
        graph = hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy__size(&text->t.type.shape));
        if (!graph) return 0;
    }
    return !hy_error(F);
}

static void numpy_values(void)
{
    size_t i;
    for (i = 0; i < sizeof numpy_cases / sizeof *numpy_cases; i++) {
        hy_frame *F = hy_open(NULL);
        const char *way = "";
        if (!CHECK(numpy_walk(F, &numpy_cases[i], &way)))
            printf("    %s {%s} of %s, %s: %s\n", numpy_cases[i].op, numpy_cases[i].attrs, numpy_cases[i].in, way,
                   hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
        CHECK(hy_close(F) == 0);
    }
}

/* What cannot be says which operator and why, and gives no numbers. */
static void numpy_errors(void)
{
    static const struct { numpy_case c; const char *says; } cases[] = {
        { { "_np_squeeze", "\"axis\": \"0\"", 1, "f(2,1)", "f(1)", NULL }, "_squeeze" },
        { { "_np_reshape", "\"newshape\": \"(2, 0)\"", 1, "f(4) 1", "f(2,0)", NULL }, "Target shape size is different" },
        { { "_npi_broadcast_to", "\"shape\": \"(2, 4, 0)\"", 1, "f(1,3) 1", "f(2,4,0)", NULL }, "cannot be broadcast" },
        { { "_npi_average", "\"axis\": \"0\"", 1, "f(3,2) 1 ; f(2) 1", "f(2)", NULL }, "Shape inconsistent" },
        { { "_npi_average", "\"axis\": \"(0, 1)\"", 1, "f(3,3) 1 ; f(3) 1", "f()", NULL }, "neither shaped like" },
        { { "_npi_average", "", 1, "f(3,3) 1 ; f(3) 1", "f()", NULL }, "neither shaped like" },
        { { "_npi_bitwise_and", "", 1, "f(2) 1 ; f(2) 1", "f(2)", NULL }, "not supported" },
        { { "_npi_matmul", "", 1, "f() 1 ; f(2) 1", "f(2)", NULL }, "use hy_mul" },
        { { "_npi_matmul", "", 1, "f(3) 1 ; f(2) 1", "f()", NULL }, "Shape inconsistent" },
        { { "_npi_matmul", "", 1, "f(2,1,2,2) 1 ; f(3,2,2) 1", "f(2,3,2,2)", NULL }, "broadcast one first" },
        { { "_npi_pad", "\"pad_width\": \"((1, 1),)\", \"mode\": \"symmetric\"", 1, "f(2,3) 1", "f(4,3)", NULL }, "" },
        { { "_npi_hsplit", "\"indices\": \"(0, 9)\", \"axis\": \"1\"", 1, "f(4) 1", "f(4) 1 ; f(0)", NULL }, "indices must begin" },
        { { "argmax_channel", "", 0, "f(4) 1", "f()", NULL }, "axis 1 is out of range" },
        { { "_npi_argmax", "\"axis\": \"1\"", 1, "f() 1", "l()", NULL }, "out of range" },
        { { "_npi_tril", "", 1, "f() 1", "f()", NULL }, "no matrices" } };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hy_frame *F = hy_open(NULL);
        hy_array *in[4], *out[4], *y;
        int n = numpy_arrays(F, cases[i].c.in, in), m = numpy_arrays(F, cases[i].c.out, out);
        y = hy_graph_run(F, numpy_graph(F, &cases[i].c, n, m), n == 1 ? in[0] : hy_group_of(F, n, in));
        if (!CHECK(!y && hy_error(F) && strstr(hy_error(F), cases[i].says)))
            printf("    %s {%s}: %s\n", cases[i].c.op, cases[i].c.attrs, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
        CHECK(hy_close(F) == 0);
    }
}

/* A graph without inputs: run, called with NULL line by line and compiled, planned, bound, written both ways, read again. */
static void numpy_without_inputs(void)
{
    static const char text[] = "{\"nodes\": [{\"op\": \"_arange\", \"name\": \"r\", \"attrs\": {\"stop\": \"4\"}, \"inputs\": []}, {\"op\": "
        "\"_ones\", \"name\": \"o\", \"attrs\": {\"shape\": \"(3,)\"}, \"inputs\": []}, {\"op\": \"_arange\", \"name\": \"a\", \"attrs\": "
        "{\"start\": \"0\", \"stop\": \"3\"}, \"inputs\": []}, {\"op\": \"elemwise_add\", \"name\": \"s\", \"inputs\": [[2, 0, 0], [1, 0, 0]]}], "
        "\"arg_nodes\": [], \"heads\": [[3, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";
    static const float due[] = { 1, 2, 3 };
    static double room[4000];
    hy_frame *F = hy_open(NULL);
    hy_graph *g = hy_symbol_from(F, text, sizeof text - 1);
    hy_block *net = hy_import_from(F, g, NULL, NULL), *again;
    hy_array *y = hy_graph_run(F, g, NULL), *symbol;
    hy_arrays params;
    int round;
    CHECK(y && !memcmp(hy_data(F, y), due, sizeof due));
    CHECK(hy_input_name(F, net, 0) == NULL);
    for (round = 0; round < 4; round++) {
        y = hy_call(F, net, NULL);
        CHECK(y && !memcmp(hy_data(F, y), due, sizeof due));
        if (round == 1) hy_hybridize(F, net, NULL);
    }
    y = hy_call(F, net, hy_ones(F, HY_SHAPE(5)));           /* what is given does not count */
    CHECK(y && !memcmp(hy_data(F, y), due, sizeof due));
    CHECK(hy_plan(F, net, NULL).total <= (int64_t)sizeof room && !hy_bind(F, net, NULL, room, sizeof room));
    y = hy_call(F, net, NULL);
    CHECK(y && !memcmp(hy_data(F, y), due, sizeof due));
    CHECK(!hy_export_to(F, net, NULL, &symbol, &params));
    again = hy_import_from(F, symbol_read(F, (const char *)hy_data(F, symbol)), &params, NULL);
    y = hy_call(F, again, NULL);
    CHECK(y && !memcmp(hy_data(F, y), due, sizeof due));
    symbol = hy_save_model_to(F, net, NULL);
    again = hy_load_model_from(F, hy_data(F, symbol), (size_t)hy__size(&symbol->t.type.shape), 0);
    for (round = 0; round < 2; round++) {
        y = hy_call(F, again, NULL);
        CHECK(y && !memcmp(hy_data(F, y), due, sizeof due));
        hy_hybridize(F, again, NULL);
    }
    CHECK(!hy_error(F));
    hy_call(F, hy_nn_dense(F, 2, NULL), NULL);
    CHECK(hy_error(F) && strstr(hy_error(F), "hy_call: the input is NULL"));
    hy_clear(F);
    hy_block_free(F, net);
    CHECK(hy_close(F) == 0);
}

/* Names may hold commas and blanks; lists of them still do. */
static void numpy_names_with_commas(void)
{
    static const char text[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"op=a, dtype=f_x\", \"inputs\": []}, {\"op\": \"null\", "
        "\"name\": \"b,y\", \"inputs\": []}, {\"op\": \"elemwise_sub\", \"name\": \"s\", \"inputs\": [[0, 0, 0], [1, 0, 0]]}], "
        "\"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";
    static const struct { const char *inputs, *says; double due; } cases[] = {
        { "op=a, dtype=f_x,b,y", NULL, 2 }, { " op=a, dtype=f_x , b,y ", NULL, 2 }, { "b,y,op=a, dtype=f_x", NULL, -2 },
        { "op=a,b,y", "the graph has no input 'op=a'", 0 }, { "b,y,b,y", "input 'b,y' is listed twice", 0 },
        { "b,y,", "1 inputs are due, 2 are given", 0 }, { "op=a, dtype=f_x,,b,y", "an empty name among the inputs", 0 } };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hy_frame *F = hy_open(NULL);
        hy_import_opt opt = { 0 };
        hy_array *y, *symbol;
        hy_arrays params;
        hy_block *net;
        opt.inputs = cases[i].inputs;
        net = hy_import_from(F, hy_symbol_from(F, text, sizeof text - 1), NULL, &opt);
        y = hy_call(F, net, hy_group(F, hy_full(F, HY_SHAPE(2), 3), hy_full(F, HY_SHAPE(2), 1)));
        if (cases[i].says) CHECK(hy_error(F) != NULL);
        else CHECK(y && hy_value(F, y, 0) == cases[i].due);
        if (cases[i].due < 0) {                         /* an order that nobody would guess is written with the graph */
            CHECK(!hy_export_to(F, net, NULL, &symbol, &params));
            net = hy_import_from(F, symbol_read(F, (const char *)hy_data(F, symbol)), &params, NULL);
            y = hy_call(F, net, hy_group(F, hy_full(F, HY_SHAPE(2), 3), hy_full(F, HY_SHAPE(2), 1)));
            CHECK(y && hy_value(F, y, 0) == cases[i].due);
        }
        if (cases[i].says && !CHECK(hy_error(F) && strstr(hy_error(F), cases[i].says))) printf("    %s\n", hy_error(F));
        hy_clear(F);
        CHECK(hy_close(F) == 0);
    }
}

static void test_numpy(void)
{
    RUN(numpy_names_with_commas);
    RUN(numpy_values);
    RUN(numpy_errors);
    RUN(numpy_without_inputs);
}
