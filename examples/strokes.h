/* strokes.h: digits as a pen draws them, for window.c and browser.c.
 * A drawing is a list of points. strokes_image makes the small picture that a network sees, wherever and however
 * large the drawing is; strokes_sample draws a digit as some hand might, no two alike: what the network learns from.
 */
#ifndef STROKES_H
#define STROKES_H
#include <math.h>
#include <stdint.h>

enum { SIDE = 20, MOST_POINTS = 1024 };                 /* pixels of a picture's side; points of a drawing */

typedef struct { float x, y; int down; } pen_point;     /* down: a line leads here from the point before */
typedef struct { pen_point at[MOST_POINTS]; int n; } drawing;

static void strokes_add(drawing *d, float x, float y, int down)
{
    pen_point p = { 0, 0, 0 };
    p.x = x;
    p.y = y;
    p.down = down && d->n;
    if (d->n < MOST_POINTS) d->at[d->n++] = p;
}

/* How far (x, y) is from the line between a and b. */
static float strokes_distance(float x, float y, const pen_point *a, const pen_point *b)
{
    float dx = b->x - a->x, dy = b->y - a->y, length = dx * dx + dy * dy;
    float t = length > 0 ? ((x - a->x) * dx + (y - a->y) * dy) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    dx = x - a->x - t * dx;
    dy = y - a->y - t * dy;
    return sqrtf(dx * dx + dy * dy);
}

/* A line on a picture, as dark as each pixel is near. A point is a line to itself. */
static void strokes_line(float *image, const pen_point *a, const pen_point *b, float thick)
{
    float reach = thick / 2 + 1;
    int left = (int)(fminf(a->x, b->x) - reach), right = (int)(fmaxf(a->x, b->x) + reach);
    int top = (int)(fminf(a->y, b->y) - reach), bottom = (int)(fmaxf(a->y, b->y) + reach), x, y;
    for (y = top < 0 ? 0 : top; y <= bottom && y < SIDE; y++)
        for (x = left < 0 ? 0 : left; x <= right && x < SIDE; x++) {
            float ink = thick / 2 + 0.5f - strokes_distance((float)x, (float)y, a, b);
            if (ink > image[y * SIDE + x]) image[y * SIDE + x] = ink < 1 ? ink : 1;
        }
}

/* The drawing in the middle of a picture, as large as fits: SIDE x SIDE numbers from 0 to 1. */
static void strokes_image(const drawing *d, float thick, float *image)
{
    float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f, size, scale;
    pen_point p, last = { 0, 0, 0 };
    int i;
    for (i = 0; i < SIDE * SIDE; i++) image[i] = 0;
    for (i = 0; i < d->n; i++) {
        left = fminf(left, d->at[i].x);
        right = fmaxf(right, d->at[i].x);
        top = fminf(top, d->at[i].y);
        bottom = fmaxf(bottom, d->at[i].y);
    }
    size = fmaxf(right - left, bottom - top);
    scale = size > 0 ? (SIDE - 5) / size : 0;
    for (i = 0; i < d->n; i++) {
        p.x = (SIDE - 1) / 2.0f + scale * (d->at[i].x - (left + right) / 2);
        p.y = (SIDE - 1) / 2.0f + scale * (d->at[i].y - (top + bottom) / 2);
        strokes_line(image, d->at[i].down ? &last : &p, &p, thick);
        last = p;
    }
}

/* --- digits as hands write them --- */

/* Each way of writing a digit: points of a grid of 10 x 10, x and y. The pen goes smoothly by them, through one that
 * is named twice, and a bar lifts it. */
static const char *const strokes_font[10][5] = {
    { "50 20 12 16 29 59 89 96 92 80 50", "60 30 03 07 39 69 97 93 60", "50 80 93 97 79 39 17 12 30 50" },
    { "32 50 50 59", "50 59", "33 50 50 59", "23 50 50 59 59|19 89", "60 59" },
    { "22 20 50 80 83 56 19 19 89", "13 10 50 90 95 18 29 49 39 69 99", "12 20 70 94 57 19 19 99",
      "13 20 70 84 57 28 17 37 58 99" },
    { "11 30 80 83 54 54 87 89 49 18", "10 80 80 45 45 86 89 49 18", "20 60 94 54 34 54 95 89 49 19" },
    { "60 60 16 16 96|70 79", "20 14 15 95|70 69", "30 15 15 75 75|70 79", "70 70 16 16 96 96|60 69",
      "69 60 60 15 15 95" },
    { "80 20 20 14 14 53 94 99 49 18", "20 15 15 63 95 99 39 18|20 80", "90 30 30 24 74 96 79 19",
      "90 20 20 14 64 97 69 29 18" },
    { "70 30 13 17 39 79 96 74 44 16", "60 25 19 69 97 75 35 16", "80 45 27 39 79 86 55 27" },
    { "10 90 90 49", "10 90 90 49|25 75", "12 10 90 90 66 59", "20 90 90 58 39|35 85" },
    { "82 60 20 23 54 86 89 49 19 16 54 83 81", "50 20 23 54 85 88 49 18 15 54 83 80 50",
      "50 20 24 84 80 50|54 15 19 89 85 54", "72 50 20 23 86 89 39 16 73 71" },
    { "82 60 20 14 44 83 81 81 79", "81 50 10 15 55 82 80 80 89 49 28", "83 80 30 14 54 83 80 80 59",
      "91 40 15 75 91 91 69", "81 50 20 13 35 64 82 81 85 68 39" }
};

typedef struct { uint32_t state; } strokes_dice;

static float strokes_random(strokes_dice *dice, float from, float to)
{
    dice->state = dice->state * 1664525u + 1013904223u;
    return from + (to - from) * (float)(dice->state >> 8) / (1 << 24);
}

/* A smooth line from one point to another, drawn towards a third. */
static void strokes_curve(drawing *d, pen_point from, pen_point by, pen_point to)
{
    int i;
    for (i = 1; i <= 4; i++) {
        float t = (float)i / 4, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
        strokes_add(d, a * from.x + b * by.x + c * to.x, a * from.y + b * by.y + c * to.y, 1);
    }
}

static pen_point strokes_middle(pen_point a, pen_point b)
{
    a.x = (a.x + b.x) / 2;
    a.y = (a.y + b.y) / 2;
    return a;
}

/* Where a hand puts point xy of the grid: leaning, wide or narrow, turned, never twice at the same place. */
typedef struct { float xx, xy, yx, yy, shake; } strokes_hand;

static pen_point strokes_place(const char *xy, const strokes_hand *hand, strokes_dice *dice)
{
    pen_point p = { 0, 0, 0 };
    float x = (float)(xy[0] - '5') + strokes_random(dice, -hand->shake, hand->shake);
    float y = (float)(xy[1] - '5') + strokes_random(dice, -hand->shake, hand->shake);
    p.x = hand->xx * x + hand->xy * y;
    p.y = hand->yx * x + hand->yy * y;
    return p;
}

static void strokes_write(drawing *d, const char *word, const strokes_hand *hand, strokes_dice *dice)
{
    pen_point p = { 0, 0, 0 }, reached = p, next, middle;
    int n = 0;                                          /* points of this stroke so far */
    for (;; word += 3) {
        int twice = n && word[0] == word[-3] && word[1] == word[-2];
        next = twice ? p : strokes_place(word, hand, dice);
        middle = strokes_middle(p, next);
        if (n == 0) strokes_add(d, next.x, next.y, 0);
        else if (n == 1) strokes_add(d, middle.x, middle.y, 1);
        else strokes_curve(d, reached, p, middle);      /* from middle to middle, drawn towards the point between */
        reached = middle;
        p = next;
        n++;
        if (word[2] == ' ') continue;
        if (n > 1) strokes_add(d, p.x, p.y, 1);
        if (word[2] != '|') return;
        n = 0;
    }
}

/* The digit as somebody writes it; the number decides who. */
static void strokes_sample(uint32_t number, int digit, drawing *d, float *image)
{
    strokes_dice dice = { 0 };
    strokes_hand hand;
    float turn, lean, wide;
    int ways = 0;
    dice.state = number * 2654435761u + 12345u;
    strokes_random(&dice, 0, 1);
    turn = strokes_random(&dice, -0.25f, 0.25f);
    lean = strokes_random(&dice, -0.35f, 0.2f);
    wide = strokes_random(&dice, 0.5f, 1.0f);
    hand.xx = wide * cosf(turn);
    hand.xy = lean - sinf(turn);
    hand.yx = wide * sinf(turn);
    hand.yy = cosf(turn);
    hand.shake = 1;
    while (ways < 5 && strokes_font[digit][ways]) ways++;
    d->n = 0;
    strokes_write(d, strokes_font[digit][(int)strokes_random(&dice, 0, (float)ways)], &hand, &dice);
    strokes_image(d, strokes_random(&dice, 1.2f, 3.0f), image);
}
#endif
