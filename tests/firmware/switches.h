/* What these programs leave out, as there is neither a system nor much memory. */
#define HYBRID_NO_TRAIN
#define HYBRID_NO_IO
#define HYBRID_NO_RNN
#define HYBRID_NO_VISION
#define HYBRID_NO_THREADS
#define HYBRID_NO_STDIO
#define HYBRID_NO_INT8
#define HYBRID_HANDLES 8
#define HYBRID_KEPT_JOBS 0
#define HYBRID_CACHE_BYTES 1024
