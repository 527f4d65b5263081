/* What a Cortex-M4 does before main: stack, FPU, memory; then a program's text goes to the debugger's console. */
#include <stdint.h>
#include <string.h>

extern uint32_t stack_top, data_from, data_start, data_end, bss_start, bss_end;
extern int main(int argc, char **argv);
extern void initialise_monitor_handles(void);
extern void exit(int code) __attribute__((noreturn));

void _init(void) {}                   /* the library asks for them */
void _fini(void) {}

void reset(void)
{
    *(volatile uint32_t *)0xE000ED88u |= 15u << 20;     /* the FPU is off at first */
    memcpy(&data_start, &data_from, (size_t)((char *)&data_end - (char *)&data_start));
    memset(&bss_start, 0, (size_t)((char *)&bss_end - (char *)&bss_start));
    initialise_monitor_handles();
    exit(main(0, 0));
}

static void fault(void) { exit(99); }

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &stack_top, (const void *)reset, (const void *)fault, (const void *)fault, (const void *)fault, (const void *)fault,
    (const void *)fault
};
