/* A program that uses the names of aitisa_api, compiled against suanzi/aitisa.h. The program prints nothing and returns
 * 0. If a check fails, the program prints the line of the check and the last message. If memory is not freed, the exit
 * status is 2. */
#include <stdio.h>
#include <suanzi/aitisa.h>

#define EXPECT(condition)              \
  do {                                 \
    if (!(condition)) return __LINE__; \
  } while (0)

static Tensor filled(DataType dtype, int64_t* dims, int64_t ndim, double value) {
  const Device device = {DEVICE_CPU, 0};
  Tensor made = NULL;
  return aitisa_full(dtype, device, dims, ndim, value, &made) == STATUS_SUCCESS ? made : NULL;
}

/* Makes a tensor of 0, 1, 2, ... as floats, in memory that the tensor takes over. */
static Tensor counting(int64_t* dims, int64_t ndim, int count) {
  const Device device = {DEVICE_CPU, 0};
  Tensor made = NULL;
  const unsigned int bytes = (unsigned int)count * (unsigned int)sizeof(float);
  float* const data = (float*)malloc(bytes);
  int i;
  for (i = 0; i < count; ++i) data[i] = (float)i;
  if (aitisa_create(kFloat, device, dims, ndim, data, bytes, &made) != STATUS_SUCCESS) free(data);
  return made;
}

static int queries(void) {
  int64_t dims[3] = {2, 3, 4}, *found_dims = NULL, ndim = 0;
  const Device device = {DEVICE_CPU, 0};
  Device found_device = {DEVICE_CUDA, 7};
  DataType dtype = {TYPE_INT32, sizeof(int32_t)}, found = kDouble;
  Tensor x = NULL;
  void* data = NULL;
  unsigned int len = 0;
  int32_t number = -7;
  Shape shape;
  EXPECT(aitisa_create(dtype, device, dims, 3, NULL, 0, &x) == STATUS_SUCCESS);
  EXPECT(aitisa_tensor_ndim(x) == 3 && aitisa_tensor_size(x) == 24 && aitisa_tensor_dim(x, 1) == 3);
  EXPECT(aitisa_tensor_dims(x)[2] == 4 && aitisa_tensor_data_type(x).code == TYPE_INT32);
  EXPECT(aitisa_tensor_data_type(x).size == 4 && aitisa_tensor_device(x).type == DEVICE_CPU);
  shape = aitisa_tensor_shape(x);
  EXPECT(shape.ndim == 3 && shape.dims[0] == 2 && shape.layout.type == LAYOUT_DENSE);
  EXPECT(shape.layout.min2maj[0] == 2 && shape.layout.min2maj[1] == 1 && shape.layout.min2maj[2] == 0);
  aitisa_tensor_set_item(x, 23, &number);
  EXPECT(((int32_t*)aitisa_tensor_data(x))[23] == -7);
  EXPECT(aitisa_resolve(x, &found, &found_device, &found_dims, &ndim, &data, &len) == STATUS_SUCCESS);
  EXPECT(found.code == TYPE_INT32 && found_device.type == DEVICE_CPU && found_dims[1] == 3 && ndim == 3);
  EXPECT(data == aitisa_tensor_data(x) && len == 96);
  EXPECT(aitisa_destroy(&x) == STATUS_SUCCESS && x == NULL && aitisa_destroy(&x) == STATUS_SUCCESS);
  EXPECT(aitisa_create(dtype, found_device, dims, -1, NULL, 0, &x) == STATUS_INVALID_ARGUMENT);
  found_device.type = DEVICE_CUDA;
  EXPECT(aitisa_create(dtype, found_device, dims, 3, NULL, 0, &x) == STATUS_NOT_SUPPORTED);
  EXPECT(aitisa_create(dtype, device, dims, 3, &number, 4, &x) == STATUS_INVALID_ARGUMENT && x == NULL);
  dtype.code = TYPE_NTYPES;
  EXPECT(aitisa_create(dtype, device, dims, 3, NULL, 0, &x) == STATUS_INVALID_ARGUMENT);
  return 0;
}

static int arithmetic(void) {
  int64_t dims[2] = {2, 3};
  const float* values;
  Tensor x = counting(dims, 2, 6), two = filled(kFloat, dims, 2, 2.0), y = NULL, whole = NULL;
  EXPECT(x && two);
  EXPECT(aitisa_add(x, two, &y) == STATUS_SUCCESS);
  values = (const float*)aitisa_tensor_data(y);
  EXPECT(values[0] == 2 && values[5] == 7 && aitisa_tensor_data_type(y).code == TYPE_FLOAT);
  aitisa_destroy(&y);
  EXPECT(aitisa_sub(x, two, &y) == STATUS_SUCCESS && ((float*)aitisa_tensor_data(y))[0] == -2);
  EXPECT(aitisa_sqrt(y, &whole) == STATUS_MATH_ERROR && whole == NULL);
  EXPECT(aitisa_sqrt(NULL, &whole) != STATUS_SUCCESS && whole == NULL);
  EXPECT(strncmp(suanzi_last_message(), "less: ", 6) == 0);
  aitisa_destroy(&y);
  EXPECT(aitisa_mul(x, two, &y) == STATUS_SUCCESS && ((float*)aitisa_tensor_data(y))[5] == 10);
  aitisa_destroy(&y);
  EXPECT(aitisa_div(x, two, &y) == STATUS_SUCCESS && ((float*)aitisa_tensor_data(y))[5] == 2.5f);
  EXPECT(aitisa_cast(y, kInt8, &whole) == STATUS_SUCCESS && ((int8_t*)aitisa_tensor_data(whole))[5] == 2);
  EXPECT(aitisa_add(x, whole, &y) == STATUS_TYPE_MISMATCH && aitisa_tensor_data_type(whole).code == TYPE_INT8);
  aitisa_destroy(&y);
  aitisa_destroy(&whole);
  EXPECT(aitisa_tanh(two, &y) == STATUS_SUCCESS && ((float*)aitisa_tensor_data(y))[0] > 0.96f);
  aitisa_destroy(&y);
  aitisa_destroy(&two);
  two = filled(kFloat, dims + 1, 1, 1.0);
  EXPECT(aitisa_add(x, two, &y) == STATUS_SUCCESS && ((float*)aitisa_tensor_data(y))[5] == 6); /* broadcast */
  aitisa_destroy(&y);
  aitisa_destroy(&two);
  two = filled(kFloat, dims, 1, 1.0);
  EXPECT(aitisa_add(x, two, &y) == STATUS_DIMENSIONS_MISMATCH && y == NULL);
  aitisa_destroy(&two);
  aitisa_destroy(&x);
  return 0;
}

static int integers(void) {
  int64_t dims[1] = {2};
  Tensor seven = filled(kInt16, dims, 1, -7.9), two = filled(kInt16, dims, 1, 2), y = NULL, z = NULL;
  EXPECT(aitisa_div(seven, two, &y) == STATUS_SUCCESS && ((int16_t*)aitisa_tensor_data(y))[1] == -3);
  EXPECT(aitisa_tensor_data_type(y).code == TYPE_INT16);
  EXPECT(aitisa_mul(y, y, &z) == STATUS_SUCCESS && ((int16_t*)aitisa_tensor_data(z))[0] == 9);
  aitisa_destroy(&y);
  EXPECT(aitisa_add(z, two, &y) == STATUS_SUCCESS);
  aitisa_destroy(&z);
  EXPECT(aitisa_sqrt(y, &z) == STATUS_SUCCESS && ((int16_t*)aitisa_tensor_data(z))[0] == 3);
  aitisa_destroy(&z);
  EXPECT(aitisa_tanh(y, &z) == STATUS_NOT_SUPPORTED);
  EXPECT(aitisa_dot(y, two, &z) == STATUS_SUCCESS && aitisa_tensor_ndim(z) == 1 && aitisa_tensor_dim(z, 0) == 1);
  EXPECT(((int16_t*)aitisa_tensor_data(z))[0] == 44 && aitisa_tensor_data_type(z).code == TYPE_INT16);
  aitisa_destroy(&z);
  aitisa_destroy(&y);
  aitisa_destroy(&seven);
  aitisa_destroy(&two);
  return 0;
}

/* Results are contiguous and share no memory with their operands. */
static int shapes(void) {
  int64_t dims[3] = {2, 1, 6}, flat[1] = {12}, second[1] = {1};
  int begin[3] = {0, 0, 1}, size[3] = {2, 1, 4}, step[3] = {1, 1, 2};
  float nine = 9;
  Tensor x = counting(dims, 3, 12), y = NULL, z = NULL;
  const float* part;
  EXPECT(aitisa_reshape(x, flat, 1, &y) == STATUS_SUCCESS && aitisa_tensor_ndim(y) == 1);
  aitisa_tensor_set_item(y, 0, &nine);
  EXPECT(((float*)aitisa_tensor_data(x))[0] == 0 && ((float*)aitisa_tensor_data(y))[0] == 9);
  aitisa_destroy(&y);
  flat[0] = 11;
  EXPECT(aitisa_reshape(x, flat, 1, &y) == STATUS_DIMENSIONS_MISMATCH);
  EXPECT(aitisa_squeeze(x, NULL, 0, &y) == STATUS_SUCCESS && aitisa_tensor_ndim(y) == 2);
  EXPECT(aitisa_tensor_data(y) != aitisa_tensor_data(x));
  aitisa_destroy(&y);
  EXPECT(aitisa_squeeze(x, second, 1, &y) == STATUS_SUCCESS && aitisa_tensor_dim(y, 1) == 6);
  aitisa_destroy(&y);
  second[0] = 3;
  EXPECT(aitisa_squeeze(x, second, 1, &y) == STATUS_INVALID_ARGUMENT);
  EXPECT(aitisa_slice(x, begin, size, step, &y) == STATUS_SUCCESS && aitisa_tensor_dim(y, 2) == 2);
  part = (const float*)aitisa_tensor_data(y);
  EXPECT(part[0] == 1 && part[1] == 3 && part[2] == 7 && part[3] == 9);
  EXPECT(aitisa_duplicate(y, &z) == STATUS_SUCCESS && ((float*)aitisa_tensor_data(z))[3] == 9);
  EXPECT(aitisa_tensor_data(z) != aitisa_tensor_data(y));
  aitisa_destroy(&z);
  aitisa_destroy(&y);
  size[2] = 6;
  EXPECT(aitisa_slice(x, begin, size, step, &y) == STATUS_INVALID_ARGUMENT);
  aitisa_destroy(&x);
  return 0;
}

static Status product(const Tensor a, const Tensor b, float* corner) {
  Tensor y = NULL;
  CHECK_STATUS(aitisa_matmul(a, b, &y));
  *corner = ((float*)aitisa_tensor_data(y))[0];
  return aitisa_destroy(&y);
}

static int products(void) {
  int64_t left[2] = {2, 3}, right[2] = {3, 2};
  float corner = 0;
  Tensor a = counting(left, 2, 6), b = counting(right, 2, 6), v = counting(right, 1, 3), y = NULL;
  EXPECT(product(a, b, &corner) == STATUS_SUCCESS && corner == 10);
  EXPECT(product(a, a, &corner) == STATUS_DIMENSIONS_MISMATCH);
  EXPECT(aitisa_matmul(v, v, &y) == STATUS_SUCCESS && aitisa_tensor_ndim(y) == 1 && aitisa_tensor_dim(y, 0) == 1);
  EXPECT(((float*)aitisa_tensor_data(y))[0] == 5);
  aitisa_destroy(&y);
  EXPECT(aitisa_dot(a, v, &y) == STATUS_SUCCESS && aitisa_tensor_dim(y, 0) == 2);
  EXPECT(((float*)aitisa_tensor_data(y))[1] == 14);
  aitisa_destroy(&y);
  aitisa_destroy(&a);
  aitisa_destroy(&b);
  aitisa_destroy(&v);
  return 0;
}

int main(void) {
  int (*const checks[])(void) = {queries, arithmetic, integers, shapes, products};
  size_t i;
  int64_t bytes = 0;
  for (i = 0; i < sizeof checks / sizeof *checks; ++i) {
    const int line = checks[i]();
    if (line) {
      fprintf(stderr, "line %d: %s\n", line, suanzi_last_message());
      return 1;
    }
  }
  (void)suanzi_memory(&bytes, NULL);
  return bytes == 0 ? 0 : 2;
}
