#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <time.h>
#include <sched.h>
#include <sys/mman.h>
#define C 1
#include "/work/w-dropin/hybrid.h"
