/* mpicc -O2 examples/mpi/data_parallel.c -o data_parallel -lm -lpthread && mpirun -n 2 ./data_parallel
 *
 * Every process has the network and its own rows of each batch. Between backward and update the trainer calls
 * `add_up`, which makes one gradient of all. A batch is cut in two halves whoever computes them, and a sum of two
 * is the same in any order: one process and two end with the same bits.
 */
#define HYBRID_IMPLEMENTATION
#include "../../hybrid.h"
#include <mpi.h>
#include <stdio.h>

enum { HALVES = 2, ROWS = 32, STEPS = 200 };

static void add_up(hy_frame *F, int n, hy_array *const *grads, void *user)
{
    int i;
    (void)user;
    for (i = 0; i < n; i++)
        MPI_Allreduce(MPI_IN_PLACE, hy_write(F, grads[i]), (int)hy_size(F, grads[i]), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/* Half `half` of batch `step`: points of a square, and whether they lie in a circle. */
static void make_half(int step, int half, float x[][2], float *label)
{
    unsigned state = 1 + (unsigned)(step * HALVES + half) * 2654435761u;
    int i, k;
    for (i = 0; i < ROWS; i++) {
        for (k = 0; k < 2; k++) {
            state = state * 1664525u + 1013904223u;
            x[i][k] = (float)(state >> 8) / (1 << 23) - 1;
        }
        label[i] = x[i][0] * x[i][0] + x[i][1] * x[i][1] < 0.5f;
    }
}

static void learn(hy_frame *F, hy_block *net, hy_block *loss, int step, int half)
{
    static float x[ROWS][2], label[ROWS];
    hy_array *L;
    make_half(step, half, x, label);
    hy_begin(F);
    hy_record(F);
    L = hy_call(F, net, hy_floats(F, HY_SHAPE(ROWS, 2), &x[0][0]));
    L = hy_call(F, loss, hy_group(F, L, hy_floats(F, HY_SHAPE(ROWS), label)));
    hy_pause(F);
    hy_backward(F, L, NULL);
    hy_end(F);
}

int main(int argc, char **argv)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F), *loss = hy_loss_softmax_ce(F, NULL);
    hy_nn_dense_opt tanh_of = { 0 };
    hy_optim_opt adam = { 0 };
    hy_trainer_opt opt = { 0 };
    hy_trainer *T;
    hy_params params;
    int rank, size, step, half, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tanh_of.activation = "tanh";
    hy_append(F, net, hy_nn_dense(F, 16, &tanh_of), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, NULL);                /* by the seed: the same everywhere */
    hy_hybridize(F, net, NULL);
    hy_call(F, net, hy_zeros(F, HY_SHAPE(1, 2)));
    hy_set_grad_req(F, net, NULL, HY_GRAD_ADD); /* one process adds its halves up itself */
    adam.learning_rate = 0.02;
    opt.reduce = add_up;
    T = hy_trainer_new(F, net, hy_optim_adam(&adam), &opt);

    for (step = 0; step < STEPS; step++) {
        hy_zero_grad(F, net);
        for (half = rank; half < HALVES; half += size) learn(F, net, loss, step, half);
        hy_step(F, T, HALVES * ROWS);
    }

    params = hy_collect_params(F, net, NULL);
    for (i = 0; rank == 0 && i < params.n; i++)
        printf("weights %d: sum %.9g, largest %.9g\n", i, hy_item(F, hy_sum(F, params.at[i], HY_ALL, NULL)),
               hy_item(F, hy_max(F, params.at[i], HY_ALL, NULL)));
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    MPI_Finalize();
    return hy_close(F);
}
