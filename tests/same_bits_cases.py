"""The cases of same_bits.py: expressions of the public functions, and the operands of each expression.

An expression can use the names of `suanzi`, `linalg`, `fft` and `memory`, and these names, which same_bits.py makes:

S, D, n        the shape, the element type and the first size of the case
x, y, w        tensors of the shape and type, in the layout of the case
e              a tensor of the shape and type, always in default order and never sparse
v, s, k        a row that broadcasts, a tensor of rank 0, a number of Python
t              a mask of the shape
i              each position along the first axis once, in random order
j, g           for each element a position along the last axis, and coordinates of some elements
h              a Hermitian and positive definite tensor of the shape, or x if the shape is not square
u, p           ascending numbers, and numbers between 0 and 1

A new function with an uncommon signature needs an expression in this file. A test fails if the expression is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATING = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMBERS = ("bool", *INTEGERS, *FLOATING, *COMPLEX)
EVERY = (*NUMBERS, "string")
WIDTHS = ("int8", "bfloat16", "float32", "int64", "complex128")  # one type for each size of element
LIBRARY = ("int32", "float16", "float32", "float64", "complex64", "complex128")  # types of matrices and signals
QUANTIZED = (
    *("qint8", "qint16", "quint8", "qint8_asymmetric", "quint16", "qint16_asymmetric"),
    *("qint8_per_channel", "qint16_per_channel"),
)

DENSE = ("default", "ordered", "strided", "reversed", "broadcast")
SPARSE = ("coo", "csr", "repeated")

SCALAR_TO_RANK_4 = ((), (0,), (1,), (3,), (17,), (1000,), (3, 17), (2, 0, 3), (4, 3, 5), (2, 3, 4, 5))
FEW = ((17,), (7, 5), (2, 3, 4, 5))
SMALL = ((), (0,), (17,), (7, 5), (5, 5), (2, 3, 4, 5))
LARGE = ((100_003,), (257, 1001))
MATRICES = ((0, 0), (1, 1), (3, 3), (17, 17), (5, 9), (9, 5), (3, 4, 4), (33, 33))
LARGE_MATRICES = ((130, 130), (257, 257), (150, 60), (300, 6, 6), (40, 17, 17))
FACTORED = (*LARGE_MATRICES[2:], (130, 130))
SIGNALS = ((0,), (1,), (3,), (17,), (64,), (1000,), (1009,), (3, 30), (4, 5, 6), (2, 3, 4, 5))
LARGE_SIGNALS = ((4096,), (100_000,), (64, 1024), (300, 343))

# Many functions have one or two operands and `out`. The expressions are made from the signature.
BY_SIGNATURE = {
    "(_, *, out)": ("{f}(x)", "into({f}, x)"),
    "(_, _, *, out)": (
        *("{f}(x, y)", "{f}(x, v)", "{f}(v, x)", "{f}(x, s)", "{f}(x, k)", "{f}(k, x)", "{f}(x, e)"),
        "into({f}, x, y)",
    ),
}


@dataclass(frozen=True)
class Group:
    """Expressions, and the types, shapes and layouts of the operands on which each expression is evaluated."""

    expressions: tuple[str, ...]
    types: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    layouts: tuple[str, ...]
    values: str = "tame"  # "wild" includes NaN, infinities and very large numbers
    threads: tuple[int, ...] = (1,)


def lines(text: str) -> tuple[str, ...]:
    return tuple(expression.strip() for line in text.strip().splitlines() for expression in line.split("; "))


# Elementwise functions with uncommon signatures.
ELEMENTWISE = lines("""
    multiply_add(x, y, w); multiply_add(x, s, v); into(multiply_add, x, y, w)
    where(t, x, y); where(t, x, s); where(t, k, x); where(x, y, w); into(where, t, x, y)
    clip(x, s); clip(x, None, k); clip(x, y, w); clip(x, k, s); into(clip, x, s)
    divide(x, y); divide(x, y, rounding="trunc"); divide(x, k, rounding="floor"); into(divide, x, y)
    round(x); round(x, 1); round(x, -1); round(x, 1, "half_up"); round(x, mode="half_down")
    round(x, mode="half_away"); round(x, mode="ceil"); into(round, x)
    isclose(x, y); isclose(x, x, equal_nan=True); isclose(x, s, rtol=0.5, atol=1.0)
    allclose(x, y); allclose(x, x, equal_nan=True)
    array_equal(x, x)
    masked_fill(x, t, k); masked_fill(x, t, s); into(masked_fill, x, t, s)
    astype(x, D, copy=False)
    -x; +x; ~x
    real(x)
    imag(x)
    x.conj(); x.round(1); x.clip(s); x.masked_fill(t, s); x.real; x.imag
    x + y; x - y; x * k; x / y; x // y; x % s; x ** y; x ** 2; x ** 3; x ** 0.5; 2 ** x; x << y; x >> y; x & y
    x | y; x ^ y; k + x; k - x; k * x; k / x; k // x; k % x; k ** x; k << x; k >> x; k & x; k | x; k ^ x; x < y
    x <= k; x > s; x >= y; x == y; x != k
    divmod(x, y); divmod(k, x)
    in_place("+", x, y); in_place("-", x, k); in_place("*", x, s); in_place("/", x, y); in_place("//", x, y)
    in_place("%", x, y); in_place("**", x, y); in_place("&", x, y); in_place("|", x, y); in_place("^", x, y)
    in_place("<<", x, y); in_place(">>", x, y)
    abs(x)
""")

CASTS = tuple(f"astype(x, {name!r})" for name in EVERY)

_FOLDS = tuple(
    f"{f}({arguments})"
    for f in ("sum", "prod", "max", "min", "all", "any", "mean", "norm1", "norm2", "logsumexp", "count_nonzero")
    for arguments in ("x", "x, axis=0", "x, axis=-1", "x, axis=(0, -1)", "x, axis=1, keepdims=True")
)
_SCANS = tuple(
    f"{f}(x{more})"
    for f in ("cumulative_sum", "cumulative_prod")
    for more in (
        *("", ", axis=0", ", axis=-1", ", axis=1", ", axis=0, reverse=True", ", axis=-1, exclusive=True"),
        *(", axis=0, include_initial=True", ', axis=0, dtype="float64"'),
    )
)
REDUCTIONS = (
    *_FOLDS,
    *_SCANS,
    *lines("""
    sum(x, dtype="float64")
    prod(x, axis=0, dtype="complex128")
    mean(x, axis=0, dtype="float64")
    norm1(x, axis=0, dtype="float64")
    norm2(x, dtype="float64")
    logsumexp(x, axis=0, dtype="float64")
    into(sum, x, axis=0)
    into(prod, x)
    into(max, x, axis=-1)
    into(min, x, axis=0)
    into(all, x, axis=0)
    into(any, x)
    into(mean, x, axis=-1)
    into(norm1, x)
    into(norm2, x, axis=0)
    into(logsumexp, x, axis=0)
    into(cumulative_sum, x, axis=0)
    into(cumulative_prod, x, axis=-1)
    std(x); std(x, axis=0, correction=1); into(std, x, axis=-1)
    var(x); var(x, axis=0, correction=1); var(x, axis=-1, keepdims=True); into(var, x, axis=0)
    reduce(x, "sum"); reduce(x, "max", axis=0); reduce(x, "prod", axis=-1, keepdims=True)
    into(reduce, x, "mean", axis=0)
    trace(x); trace(x, 1); into(trace, x)
    x.sum(axis=0); x.prod(); x.max(axis=-1); x.min(); x.all(); x.any(axis=0); x.mean(axis=0); x.var()
    x.std(axis=-1); x.count_nonzero(axis=0)
    """),
)

SEARCHES = lines("""
    argmax(x); argmax(x, axis=0); argmax(x, axis=-1, keepdims=True)
    argmin(x); argmin(x, axis=0); argmin(x, axis=1)
    x.argmax(axis=0); x.argmin()
    nonzero(x); nonzero(x, as_tuple=False)
    x.nonzero()
    argsort(x); argsort(x, axis=0); argsort(x, descending=True); argsort(x, stable=False); into(argsort, x)
    x.argsort(axis=0)
    sort(x); sort(x, axis=0); sort(x, axis=0, descending=True); sort(x, stable=False); into(sort, x)
    x.sort()
    topk(x, 2); topk(x, 1, axis=0); topk(x, 3, largest=False); topk(x, 5, axis=0, sorted=False)
    x.topk(2)
    unique(x); unique(x, return_index=True, return_inverse=True, return_counts=True)
    searchsorted(u, x); searchsorted(u, s, side="right"); searchsorted(x, y, "left", argsort(x))
""")
UNIQUE_ROWS = lines("""
    unique(x, axis=0); unique(x, axis=-1, return_inverse=True)
""")

TRANSFORMS = lines("""
    broadcast_arrays(x, v)
    broadcast_tensors(x, s, y)
    broadcast_to(x, (2, *S))
    expand(x, (3, *S))
    x.expand((2, *S))
    concat([x, y]); concat([x, e], axis=-1); concat([x, y], axis=None); into(concat, [x, y, e])
    stack([x, y]); stack([x, e], axis=-1); into(stack, [x, y])
    crop(x, (1,) * rank(x), (2,) * rank(x))
    slice(x, 1, -1); slice(x, 0, n, 2, axis=0); slice(x, -1, None, -1)
    diag(x[:50]); diag(x[:50], 1)
    diagonal(x); diagonal(x, -1, 0, 1); linalg.diagonal(x, offset=1)
    x.diagonal()
    tril(x); tril(x, 1)
    x.tril()
    triu(x); triu(x, -1)
    x.triu(1)
    expand_dims(x); expand_dims(x, -1); expand_dims(x, (0, 2))
    flatten(x); flatten(x, 1)
    x.flatten()
    flip(x); flip(x, 0); flip(x, (0, -1))
    x.flip(-1)
    matrix_transpose(x); linalg.matrix_transpose(x)
    x.mT; x.T
    moveaxis(x, 0, -1)
    pad(x, 1); pad(x, (1, 2)); pad(x, 1, "reflect"); pad(x, 2, "edge"); pad(x, 1, "wrap")
    pad(x, 1, "symmetric"); pad(x, 1, value=k)
    permute_dims(x, (1, 0)); permute_dims(x, (3, 1, 0, 2))
    repeat(x, 2); repeat(x, 3, axis=0); repeat(x, i % 3, axis=0)
    x.repeat(2, axis=-1)
    reshape(x, -1); reshape(x, (1, *S)); reshape(x, (n, -1))
    x.reshape(S[::-1]); x.reshape(*S[::-1]); x.reshape(S[::-1], order="F")
    reverse(x); reverse(x, 0); reverse(x, -1, lengths=[1] * n)
    roll(x, 1); roll(x, 2, 0); roll(x, (1, -1), (0, -1))
    x.roll(-1)
    rot90(x); rot90(x, 3, (1, 0))
    split(x[:20], 1); split(x, 2, uneven=True); split(x, [1, n - 1])
    x.split(1, -1)
    squeeze(x); squeeze(x[None], 0)
    x.squeeze()
    swapaxes(x, 0, -1)
    x.swapaxes(0, 1)
    tile(x, 2); tile(x, (2, 1, 3))
    transpose(x); transpose(x, (1, 0))
    x.transpose(); x.transpose(1, 0)
    unstack(x[:20]); unstack(x[..., :20], -1)
    meshgrid(x[:70], v[:9]); meshgrid(x[:9], v[:70], s, indexing="ij")
    contiguous(x)
    x.contiguous()
    clone(x)
    x.clone()
    is_contiguous(x)
    x.is_contiguous()
    rank(x)
    shape(x)
    size(x)
    x.astype("float32")
    x[0]; x[-1]; x[1:]; x[::-2]; x[..., 0]; x[..., ::2]; x[None]; x[i]; x[[0, -1]]; x[t]; x[:, i]; x[i, 0]
    x[()]
    stored(x, 0, k); stored(x, ..., s); stored(x, slice_of(1, None, 2), k); stored(x, t, k); stored(x, t, s)
    stored(x, i, y); stored(x, (..., 0), s)
    k in x
    len(x)
    list(x[:2])
""")

GATHERING = lines("""
    gather(x, i); gather(x, 0); gather(x, i[:1], -1)
    gather_nd(x, g); gather_nd(x, i.reshape((-1, 1)))
    gather_tiled(x, i, (2, 2)); gather_tiled(x, i, (16,), 0)
    index_select(x, i); index_select(x, i[:1], -1)
    take(x, i); take(x, 0); take(x, i, axis=0); take(x, i[:1], axis=-1)
    x.take(i)
    take_along_axis(x, j); take_along_axis(x, j[:1] % n, 0)
    scatter(x, i, y); scatter(x, i, s); scatter(x, i // 2, y, mode="add"); scatter(x, i // 2, y, mode="mul")
    scatter(x, i // 2, y, mode="max"); scatter(x, i // 2, y, mode="min"); scatter(x, j, y, axis=-1)
    scatter(x, j, y, axis=-1, mode="add"); into(scatter, x, i, y)
    scatter_nd(x, i.reshape((-1, 1)), y); scatter_nd(x, g, s); scatter_nd(x, g // 2, s, mode="add")
    into(scatter_nd, x, i.reshape((-1, 1)), y)
    masked_select(x, t); masked_select(x, v > v)
    x.masked_select(t)
""")

# Calls of all kinds of operands, with objects other than tensors as arguments or results.
OBJECTS = lines("""
    tensor(x.tolist()); tensor(x.numpy()); tensor(x.numpy(), dtype="float32")
    from_reference(x.numpy())
    from_dlpack(x); from_dlpack(x, copy=True)
    str(x)
    repr(x)
    bool_of(x)
    int(x)
    float(x)
    complex_of(x)
    index_of(x)
    x.item(); x.tolist(); x.tobytes(); x.numpy(); x.to_numpy()
    x.shape; x.ndim; x.dim; x.size; x.strides; x.stride(); x.dtype; x.itemsize; x.nbytes; x.device
    x.to_device("cpu")
    x.layout; x.allocator; x.metadata; x.copy(); x.ravel(); x.ravel("K")
    x.conjugate(); x.cumsum(); x.cumsum(0); x.take(0, mode="clip"); x.take(7, axis=0, mode="wrap")
    x.view(); x.view("uint8"); x.view("complex128")
    array_of(x); array_of(x.flat); array_of(x.data); x.flags.c_contiguous
    dlpack_of(x)
    copied(x)
    deeply_copied(x)
    pickled(x)
    attempt(sum, x); attempt(exp, x)
    deleted(x)
    to_sparse(x); to_sparse(x, "coo"); to_sparse(x, "csr")
    quantize(x); quantize(x, 0.25); quantize(x, 0.25, dtype="qint8"); quantize(x, 0.125, 7, dtype="quint8")
    quantize(x, [0.5] * n, axis=0, dtype="qint8_per_channel")
    dequantize(x)
    requantize(x); requantize(x, 0.5); requantize(x, 0.5, 3, dtype="quint8"); requantize(x, dtype="qint16")
    requantize(x, [0.5] * n, axis=0, dtype="qint16_per_channel")
    destroy(x.clone())
    destroyed(x); destroyed(x).shape
    add(destroyed(x), y)
    x.destroy
""")

# Calls without tensors, which depend on shape and type only. Unset contents and unseeded random numbers are not hashed.
CREATION = lines("""
    zeros(S, dtype=D); zeros(S, dtype=D, layout=[*range(len(S))])
    ones(S, dtype=D); ones(S, dtype=D, device="cpu")
    full(S, k, dtype=D); full(S, k)
    unset(empty(S, dtype=D)); unset(empty(S, dtype=D, layout=[*range(len(S))]))
    zeros_like(x); zeros_like(x, dtype="float64")
    ones_like(x)
    full_like(x, k); full_like(x, s)
    unset(empty_like(x))
    eye(n % 1000, dtype=D); eye(n, 5, -1, dtype=D)
    arange(n, dtype=D); arange(-3, n, 2, dtype=D); arange(n); arange(0.0, 1.0, 0.1, dtype=D)
    linspace(0, 1, n, dtype=D); linspace(-3, 100, n)
    uniform(S, seed=5, dtype=D); uniform(S, 1, 100, 5, dtype=D)
    uniform_like(x, seed=3); uniform_like(x, 0, 7, 3, dtype="float64")
    normal(S, seed=5, dtype=D); normal(S, 3, 2, 9)
    normal_like(x, seed=3); normal_like(x, 1, 2, 3, dtype="float32")
    unset(bernoulli(p)); bernoulli(p, 7)
    unset(multinomial(p, 5)); multinomial(p, 1000, seed=3); multinomial(p, 2, False, 3, output="indices")
    multinomial(p, 300, seed=3, output="indices")
    unset(randperm(n)); randperm(n, seed=4); randperm(n, D, 4)
    fft.fftfreq(n); fft.fftfreq(n, 0.5, dtype=D)
    fft.rfftfreq(n); fft.rfftfreq(n, 2.0, dtype=D)
    as_dtype(D)
    sparse_tensor(S, g, x); sparse_tensor(S, g, p, 2); sparse_tensor((n, 9), i % 9, p, indptr=arange(n + 1))
    quantized_tensor(S); quantized_tensor(None, x); quantized_tensor(S, x, scale=0.5, dtype="qint8")
    quantized_tensor(S, x, scale=0.5, zero_point=3, dtype="quint16")
    quantized_tensor(S, x, scale=[0.5] * n, axis=0, dtype="qint16_per_channel")
""")

# Calls without operands, each made once: types as arguments, statuses, threads, memory.
ONCE = lines("""
    Status
    [str(d) for d in (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64)]
    [str(d) for d in (float16, bfloat16, float32, float64, complex64, complex128, string)]
    [str(d) for d in (qint8, qint16, quint8, qint8_asymmetric, quint16, qint16_asymmetric)]
    [str(d) for d in (qint8_per_channel, qint16_per_channel)]
    [e.__mro__[1].__name__ for e in (AllocFailedError, DimensionsMismatchError, InternalError)]
    [e.__mro__[1].__name__ for e in (InvalidArgumentError, OutOfRangeError, SuanziError)]
    [e.__mro__[1].__name__ for e in (TypeMismatchError, UninitializedObjectError)]
    [c.__name__ for c in (Tensor, SparseTensor, QuantizedTensor, QuantizedType, DType, TopK)]
    Device("cpu"); Device("gpu", 1)
    Layout("dense", (1, 0))
    as_dtype("nothing"); as_dtype("float32") is float32
    set_num_threads(get_num_threads()); set_num_threads(0); repr(tile_shape(2, 3)); tile_shape(0)
    sorted_names(memory.statistics())
    __version__
    attempt(save, "x.txt", Tensor); attempt(load, "x.txt"); attempt(loadtxt, "x.txt")
    set_printoptions(**get_printoptions()); sorted(get_printoptions()); type(printoptions(precision=2)).__name__
    [random.seed(3), random.uniform((3, 5)), random.uniform(9, dtype="float64")][1:]
    [random.seed(3), random.normal((3, 5)), random.integers(9, -3, 4)][1:]
    [random.seed(3), random.bernoulli(full(99, 0.3)), random.multinomial(full(9, 0.3), 20)][1:]
    [random.seed(3), random.randperm(99), random.choice(99, 9), random.choice(99, 9, replacement=False)][1:]
    [random.seed(3), random.permutation(eye(9)), random.shuffle(ones(9))][1]
    [random.set_default_generator(random.Generator(3)), random.default_generator().seed][1]
    [g.normal(9) for g in random.Generator(7).spawn(3)]
    type(random.default_rng(random.Generator(7))) is random.NumPyGenerator
    [random.default_rng(7).normal(3, 2, 9), random.default_rng(7).gumbel(size=9)]
    random.default_rng(0).binomial(9, 0.3, 9)
""")

EXTRAS = lines("""
    extras.relu(x); extras.sigmoid(x); extras.silu(x); extras.gelu(x); extras.gelu(x, approximate="tanh")
    extras.softplus(x); extras.erf(x); extras.erfc(x); extras.softmax(x); extras.softmax(x, 0); extras.log_softmax(x)
    extras.mish(x); extras.hardswish(x)
    extras.median(x); extras.median(x, 0); extras.quantile(x, [0.1, 0.7]); extras.nanmedian(x, -1, True)
    extras.nanquantile(x, 0.3, 0, method="hazen"); extras.histogram(x, 5); extras.histogram(x, 5, (-1, 3))
    [c.__name__ for c in (extras.Histogram,)]
    extras.bincount(astype(abs(x), "int8")); extras.cov(x); extras.corrcoef(x)
    extras.nansum(x); extras.nanprod(x, 0); extras.nanmax(x); extras.nanmin(x, 0); extras.nanmean(x, -1)
    extras.nanvar(x, correction=1); extras.nanstd(x, 0); extras.nanargmax(x, 0); extras.nanargmin(x)
    array_api.reshape(x, (-1,), copy=True); array_api.unique_all(x); array_api.isin(x, y); array_api.finfo(x)
    extras.diff(x); extras.diff(x, 2, 0, prepend=1); extras.hstack([x, y]); extras.vstack([x, y])
""")

PRODUCTS = lines("""
    matmul(x, y); matmul(x, y.mT); matmul(x, e); matmul(e, x); matmul(x, v); into(matmul, x, e.mT)
    linalg.matmul(x.mT, y)
    x @ y
    x.mT @ e
    e @ x
    numpy_of(e) @ x
    dot(x, y); linalg.dot(x.flatten(), y.flatten())
    cross(x[:3], y[:3], axis=0); linalg.cross(x[..., :3], y[..., :3])
    vecdot(x, y); linalg.vecdot(x, y, axis=0)
    outer(x, y); linalg.outer(x.flatten()[:40], v)
    tensordot(x, y); tensordot(x, y, axes=1); linalg.tensordot(x, y, axes=((0,), (0,)))
    einsum("ij,jk->ik", x, y); einsum("...ij,...kj->...ik", x, y); einsum("ii->i", x); einsum("ij->", x)
    linalg.einsum("ij,ij,ij->i", x, y, e)
    matrix_power(x, 3); linalg.matrix_power(x, 0)
    linear(x, y); linear(x, y, v)
    bilinear(x[:9, :9], y[:9, :9], stack([e[:9, :9]] * 2))
    bilinear(x[:9, :9], y[:9, :9], stack([e[:9, :9]] * 2), s)
    linalg.trace(x)
""")
FACTORISATIONS = lines("""
    matrix_power(h, -2)
    cholesky(h); cholesky(h, upper=True); linalg.cholesky(x)
    lu(x); lu(x, packed=True); linalg.lu(h)
    qr(x); linalg.qr(x, mode="complete")
    svd(x); linalg.svd(x, full_matrices=False)
    svdvals(x); linalg.svdvals(h)
    eig(x); linalg.eig(h)
    eigvals(x); linalg.eigvals(h)
    eigh(h); linalg.eigh(h)
    eigvalsh(h); linalg.eigvalsh(h)
    det(x); linalg.det(h)
    slogdet(x); linalg.slogdet(h)
    inv(x); linalg.inv(h)
    pinv(x); linalg.pinv(h, rtol=0.1)
    solve(x, y); solve(h, v); linalg.solve(h, e)
    lstsq(x, y); linalg.lstsq(x, y, rtol=0.01)
    matrix_rank(x); linalg.matrix_rank(h, rtol=0.5)
    cond(x); cond(h, ord=1); linalg.cond(x, ord="fro")
    matrix_norm(x); matrix_norm(x, ord=1, keepdims=True); matrix_norm(x, ord=2)
    linalg.matrix_norm(x, ord="nuc")
""")
VECTOR_NORMS = lines("""
    vector_norm(x); vector_norm(x, axis=0, ord=1); vector_norm(x, axis=-1, ord=3)
    linalg.vector_norm(x, axis=0, keepdims=True, ord=0); linalg.vector_norm(x, ord=float("inf"))
""")

SIGNAL = (
    *(f"fft.{f}(x)" for f in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn")),
    *lines("""
    fft.fft(x, axis=0); fft.fft(x, 20, norm="ortho")
    fft.ifft(x, 7, 0, "forward")
    fft.rfft(x, axis=0)
    fft.irfft(x, 9)
    fft.hfft(x, axis=0, norm="ortho")
    fft.ihfft(x, 6)
    fft.fftn(x, axes=(0,))
    fft.ifftn(x, (4, 3), (0, 1))
    fft.rfftn(x, norm="ortho")
    fft.irfftn(x, (4, 6), (0, 1))
    fft.fftshift(x); fft.fftshift(x, 0)
    fft.ifftshift(x); fft.ifftshift(x, -1)
    """),
)
IMAGES = lines("""
    interpolate(x, scale_factor=2); interpolate(x, 9); interpolate(x, scale_factor=0.5, mode="nearest-exact")
    interpolate(x, scale_factor=1.7, mode="linear"); interpolate(x, scale_factor=2, mode="bilinear")
    interpolate(x, (7, 5), mode="bilinear", align_corners=True)
    interpolate(x, (3, 5), mode="bilinear", antialias=True)
    interpolate(x, scale_factor=1.5, mode="bicubic", recompute_scale_factor=True)
    interpolate(x, scale_factor=0.6, mode="bicubic", antialias=True)
    interpolate(x, scale_factor=0.5, mode="area"); interpolate(x, (3, 3, 3), mode="trilinear")
""")
IMAGE_SHAPES = ((1, 2, 17), (2, 3, 9, 8), (1, 1, 5, 4, 6), (0, 1, 3, 3), (2, 4, 130, 190))

SPARSE_ONLY = lines("""
    x.to_dense(); x.to_coo(); x.to_csr(); x.to_format("coo"); x.to_scipy(); x.coalesce(); x.format; x.indices
    x.indptr; x.is_coalesced; x.nnz; x.values; x.pattern.shape
    matmul(x, v.reshape((-1, 1)))
    x.mT @ e
    e.mT @ x
    multiply(x, e)
    add(x, e)
""")
QUANTIZED_ONLY = lines("""
    x.codes; x.scale; x.zero_point; x.axis; x.dequantize(); x.parameters.dtype
    add(x, e)
    matmul(x, y.mT)
""")

BOTH = (1, 2)


def groups(by_signature: tuple[str, ...]) -> tuple[Group, ...]:
    """Return all groups of cases. `by_signature` lists the expressions of the functions with common signatures."""
    elementwise = (*by_signature, *ELEMENTWISE)
    others = (*REDUCTIONS, *SEARCHES, *TRANSFORMS, *GATHERING, *VECTOR_NORMS)
    every = (*elementwise, *others)
    some = (*WIDTHS, "bool")
    return (
        Group(ONCE, ("float32",), ((3,),), ("default",)),
        Group(elementwise, EVERY, SCALAR_TO_RANK_4, ("default",), "wild"),
        Group(elementwise, EVERY, FEW, DENSE, "wild"),
        Group(elementwise, NUMBERS, LARGE[:1], ("default",), "wild", BOTH),
        Group(elementwise, WIDTHS, LARGE[1:], ("ordered", "strided", "broadcast"), "wild", BOTH),
        Group(CASTS, EVERY, ((), (0,), (1000,), (7, 5)), DENSE, "wild"),
        Group(CASTS, NUMBERS, LARGE[1:], ("default", "strided"), "wild", BOTH),
        Group((*REDUCTIONS, *SEARCHES), EVERY, ((17,), (7, 5)), ("default",), "wild"),
        Group((*others, *UNIQUE_ROWS), EVERY, SMALL, ("default",)),
        Group((*others, *UNIQUE_ROWS), EVERY, FEW[1:], DENSE),
        Group(others, WIDTHS, LARGE, ("default",), threads=BOTH),
        Group(others, WIDTHS, LARGE[1:], ("ordered", "strided")),
        Group((*REDUCTIONS, *SEARCHES), NUMBERS, LARGE[:1], ("default",), "wild"),
        Group(OBJECTS, (*EVERY, *QUANTIZED), SMALL, ("default", "strided")),
        Group(OBJECTS, some, ((5, 7),), SPARSE),
        Group((*EXTRAS, "extras.kron(x, y)"), (*EVERY, "qint8"), ((), (0,), (17,), (5, 7)), ("default",), "wild"),
        Group(EXTRAS, WIDTHS, (*FEW[1:], (300, 301)), ("default", "strided"), threads=BOTH),
        Group(CREATION, EVERY, (*SMALL, (1000,)), ("default", "ordered")),
        Group(CREATION, NUMBERS, ((300, 300), (100_003,)), ("default",), threads=BOTH),
        Group(PRODUCTS, NUMBERS, (*SMALL, *MATRICES[3:]), ("default", "ordered", "strided")),
        Group(PRODUCTS, LIBRARY, LARGE_MATRICES, ("default", "ordered"), threads=BOTH),
        Group(FACTORISATIONS, LIBRARY, ((), (4,), *MATRICES), ("default", "ordered", "strided")),
        Group(FACTORISATIONS, LIBRARY[2:5], FACTORED, ("default",), threads=BOTH),
        Group(SIGNAL, LIBRARY, ((), *SIGNALS), ("default", "ordered", "strided")),
        Group(SIGNAL, LIBRARY[1:], LARGE_SIGNALS, ("default",), threads=BOTH),
        Group(IMAGES, NUMBERS, IMAGE_SHAPES, ("default", "ordered"), threads=BOTH),
        Group((*every, *SPARSE_ONLY, *PRODUCTS), some, ((17,), (5, 5), (4, 3, 5)), SPARSE),
        Group((*every, *SPARSE_ONLY, *PRODUCTS[:9]), ("float32",), ((257, 301),), SPARSE, threads=BOTH),
        Group((*every, *QUANTIZED_ONLY, *PRODUCTS), QUANTIZED, ((), (17,), (5, 5)), ("default",)),
        Group((*every, *QUANTIZED_ONLY, *PRODUCTS), QUANTIZED, ((4, 3, 5),), ("strided", "ordered")),
        Group((*every, *QUANTIZED_ONLY, *PRODUCTS), QUANTIZED, ((257, 301),), ("default",), threads=BOTH),
    )
