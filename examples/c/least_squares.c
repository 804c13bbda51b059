/* The program fits a straight line to measured points by least squares, and checks every status.
 *
 * The matrix has a row (1, x) for each point. lstsq computes intercept and slope together. README.md shows the
 * output of the program. */
#include <stdio.h>
#include <suanzi.h>

/* Jumps to the end of the function if a call fails. */
#define CHECK(call)                                                                   \
  do {                                                                                \
    status = (call);                                                                  \
    if (status != SUANZI_STATUS_SUCCESS) {                                            \
      fprintf(stderr, "%s: %s\n", suanzi_status_name(status), suanzi_last_message()); \
      goto end;                                                                       \
    }                                                                                 \
  } while (0)

#define POINTS 6

/* The intercept and the slope of y = c[0] + c[1] x. */
static SuanziStatus fit_line(const double* x, const double* y, int64_t count, double c[2]) {
  SuanziStatus status;
  SuanziTensor columns[2] = {NULL, NULL}, matrix = NULL, right = NULL;
  SuanziTensor solution = NULL, residuals = NULL, rank = NULL, singular_values = NULL;
  const SuanziScalar one = suanzi_scalar_float(1);
  const int64_t bytes = count * (int64_t)sizeof(double);

  CHECK(suanzi_full(&count, 1, &one, SUANZI_FLOAT64, NULL, NULL, &columns[0]));
  CHECK(suanzi_tensor(x, bytes, &count, 1, SUANZI_FLOAT64, NULL, NULL, &columns[1]));
  CHECK(suanzi_tensor(y, bytes, &count, 1, SUANZI_FLOAT64, NULL, NULL, &right));
  CHECK(suanzi_stack(columns, 2, 1, &matrix));
  CHECK(suanzi_lstsq(matrix, right, NULL, &solution, &residuals, &rank, &singular_values));
  CHECK(suanzi_read(solution, c, 2 * (int64_t)sizeof(double)));

end: /* A tensor that was not made is NULL, and suanzi_destroy ignores NULL. */
  suanzi_destroy(&columns[0]);
  suanzi_destroy(&columns[1]);
  suanzi_destroy(&matrix);
  suanzi_destroy(&right);
  suanzi_destroy(&solution);
  suanzi_destroy(&residuals);
  suanzi_destroy(&rank);
  suanzi_destroy(&singular_values);
  return status;
}

/* Shows an error: shapes that do not broadcast. */
static void show_error(void) {
  const int64_t two = 2, three = 3;
  SuanziTensor a = NULL, b = NULL, sum = NULL;
  if (suanzi_zeros(&two, 1, SUANZI_FLOAT32, NULL, NULL, &a) == SUANZI_STATUS_SUCCESS &&
      suanzi_zeros(&three, 1, SUANZI_FLOAT32, NULL, NULL, &b) == SUANZI_STATUS_SUCCESS) {
    const SuanziStatus status = suanzi_add(a, b, &sum);
    printf("%s: %s\n", suanzi_status_name(status), suanzi_last_message());
  }
  suanzi_destroy(&a);
  suanzi_destroy(&b);
}

int main(void) {
  const double x[POINTS] = {0, 1, 2, 3, 4, 5};
  const double y[POINTS] = {1.1, 2.9, 5.2, 7.1, 8.8, 11.1};
  double c[2];
  if (fit_line(x, y, POINTS, c) != SUANZI_STATUS_SUCCESS) return 1;
  printf("y = %.4f + %.4f x\n", c[0], c[1]);
  show_error();
  return 0;
}
