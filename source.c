#define CASE0_TEST
#define main main0
#include "case0.c"
#undef main
#define CASE1_TEST
#define main main1
#include "case1.c"
#undef main
#define CASE2_TEST
#define main main2
#include "case2.c"
#undef main
#define CASE3_TEST
#define main main3
#include "case3.c"
#undef main
#define CASE4_TEST
#define main main4
#include "case4.c"
#undef main
#define CASE5_TEST
#define main main5
#include "case5.c"
#undef main
#define CASE6_TEST
#define main main6
#include "case6.c"
#undef main
#define CASE7_TEST
#define main main7
#include "case7.c"
#undef main
#define CASE8_TEST
#define main main8
#include "case8.c"
#undef main
#define CASE9_TEST
#define main main9
#include "case9.c"
#undef main
#define CASE10_TEST
#define main main10
#include "case10.c"
#undef main
#define CASE11_TEST
#define main main11
#include "case11.c"
#undef main
#define CASE12_TEST
#define main main12
#include "case12.c"
#undef main
#define CASE13_TEST
#define main main13
#include "case13.c"
#undef main
#define CASE14_TEST
#define main main14
#include "case14.c"
#undef main
#define CASE15_TEST
#define main main15
#include "case15.c"
#undef main
#define CASE16_TEST
#define main main16
#include "case16.c"
#undef main
#define CASE17_TEST
#define main main17
#include "case17.c"
#undef main
#define CASE18_TEST
#define main main18
#include "case18.c"
#undef main
#define CASE19_TEST
#define main main19
#include "case19.c"
#undef main
#define CASE20_TEST
#define main main20
#include "case20.c"
#undef main
#define CASE21_TEST
#define main main21
#include "case21.c"
#undef main
#define CASE22_TEST
#define main main22
#include "case22.c"
#undef main
#define CASE23_TEST
#define main main23
#include "case23.c"
#undef main
#define CASE24_TEST
#define main main24
#include "case24.c"
#undef main
#define CASE25_TEST
#define main main25
#include "case25.c"
#undef main
#define CASE26_TEST
#define main main26
#include "case26.c"
#undef main
#define CASE27_TEST
#define main main27
#include "case27.c"
#undef main
#define CASE28_TEST
#define main main28
#include "case28.c"
#undef main
#define CASE29_TEST
#define main main29
#include "case29.c"
#undef main
#define CASE30_TEST
#define main main30
#include "case30.c"
#undef main
#define CASE31_TEST
#define main main31
#include "case31.c"
#undef main
#define CASE32_TEST
#define main main32
#include "case32.c"
#undef main
#define CASE33_TEST
#define main main33
#include "case33.c"
#undef main
#define CASE34_TEST
#define main main34
#include "case34.c"
#undef main
#define CASE35_TEST
#define main main35
#include "case35.c"
#undef main
#define CASE36_TEST
#define main main36
#include "case36.c"
#undef main
#define CASE37_TEST
#define main main37
#include "case37.c"
#undef main
#define CASE38_TEST
#define main main38
#include "case38.c"
#undef main
#define CASE39_TEST
#define main main39
#include "case39.c"
#undef main
#define CASE40_TEST
#define main main40
#include "case40.c"
#undef main
#define CASE41_TEST
#define main main41
#include "case41.c"
#undef main
#define CASE42_TEST
#define main main42
#include "case42.c"
#undef main
#define CASE43_TEST
#define main main43
#include "case43.c"
#undef main
int main(void) { return 0 | main0(0, 0) | main1(0, 0) | main2(0, 0) | main3(0, 0) | main4(0, 0) | main5(0, 0) | main6(0, 0) | main7(0, 0) | main8(0, 0) | main9(0, 0) | main10(0, 0) | main11(0, 0) | main12(0, 0) | main13(0, 0) | main14(0, 0) | main15(0, 0) | main16(0, 0) | main17(0, 0) | main18(0, 0) | main19(0, 0) | main20(0, 0) | main21(0, 0) | main22(0, 0) | main23(0, 0) | main24(0, 0) | main25(0, 0) | main26(0, 0) | main27(0, 0) | main28(0, 0) | main29(0, 0) | main30(0, 0) | main31(0, 0) | main32(0, 0) | main33(0, 0) | main34(0, 0) | main35(0, 0) | main36(0, 0) | main37(0, 0) | main38(0, 0) | main39(0, 0) | main40(0, 0) | main41(0, 0) | main42(0, 0) | main43(0, 0); }
