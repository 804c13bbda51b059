"""Mistakes of newcomers, as in `mistakes.py`, and hints that a test follows.

Each entry of `FOLLOWED` has the code of a mistake, the code that the error's message contains, and NumPy's code for the
result that the caller wants.
"""

from __future__ import annotations

import io
import math

from mistakes import NAMES

import suanzi as sz

NAMES = NAMES | {
    "file": io.BytesIO(),
    "j": sz.tensor([[2, 0], [1, 1]], dtype="int64"),
    "math": math,
    "picture": sz.reshape(sz.arange(72), (1, 2, 6, 6)),
    "z": sz.reshape(sz.arange(24), (2, 3, 4)),
}

ATTRIBUTE, TYPE, VALUE, INDEX = AttributeError, TypeError, ValueError, IndexError

MORE = {
    "creation": [
        ("sz.full(2, 2, 1)", TYPE, "use suanzi.full((2, 2), 1)"),
        ("sz.full(2, 3, 0.5)", TYPE, "use suanzi.full((2, 3), 0.5)"),
        ("sz.full((2, 3), 1, 2)", TYPE, "pass the arguments after fill_value by keyword"),
        ("sz.tensor([10**30])", INDEX, "an integer past 64 bits is not exact in float32; dtype='float64' rounds it"),
        ("sz.get_dummies(k)", ATTRIBUTE, "use suanzi.nn.one_hot(i, 3)"),
        ("sz.qint32", ATTRIBUTE, "suanzi.qint16 is the widest"),
    ],
    "names": [
        ("sz.repmat(x, 2, 2)", ATTRIBUTE, "use suanzi.tile(x, (2, 2))"),
        ("sz.convolve(v, [1, 0, -1], mode='same')", ATTRIBUTE, "numpy.convolve accepts tensors"),
        ("sz.average(x, axis=0, weights=[1, 3])", ATTRIBUTE, "numpy.average accepts tensors"),
        ("x.average(axis=0, weights=[1, 3])", ATTRIBUTE, "numpy.average accepts tensors"),
        ("sz.strings.join", ATTRIBUTE, "numpy.strings has functions for numpy.asarray(x)"),
        ("sz.asnumpy(x)", ATTRIBUTE, "use x.numpy()"),
        ("sz.r_[v, v]", ATTRIBUTE, "use suanzi.concat([v, v])"),
        ("sz.lib.stride_tricks.as_strided(x)", ATTRIBUTE, "numpy.lib.stride_tricks accepts tensors"),
        ("sz.polynomial.Polynomial([1, 2])", ATTRIBUTE, "numpy.polynomial accepts tensors"),
        ("sz.segment_sum(x, k)", ATTRIBUTE, "use suanzi.scatter_nd("),
        ("sz.tensor_scatter_nd_update(x, k, w)", ATTRIBUTE, "use suanzi.scatter_nd(x, i[:, None], y)"),
        ("sz.assign_add(x, x)", ATTRIBUTE, "x += y adds"),
        ("x.assign_add(x)", ATTRIBUTE, "use x += y"),
        ("sz.find(v > 1)", ATTRIBUTE, "use suanzi.nonzero(v > 1)"),
        ("sz.length(v)", ATTRIBUTE, "use max(x.shape)"),
        ("sz.accumarray(k, w)", ATTRIBUTE, "use suanzi.scatter_nd("),
        ("sz.interp1(v, v, 1.5)", ATTRIBUTE, "numpy.interp(0.5, v, v)"),
        ("sz.mldivide(x, w)", ATTRIBUTE, "use suanzi.solve(x, y)"),
        ("sz.ElementwiseKernel('x', 'y', 'y = x')", ATTRIBUTE, "use suanzi.fuse("),
        ("sz.get_default_memory_pool()", ATTRIBUTE, "suanzi.memory.release()"),
        ("sz.load_state_dict({})", ATTRIBUTE, "has tensors by name"),
        ("sz.dtype_to_nptype(sz.float32)", ATTRIBUTE, "use x.dtype.numpy"),
        ("sz.logical_and.reduce(x)", ATTRIBUTE, "logical_and has no 'reduce'; use suanzi.all(x, axis=0)"),
        ("sz.add.reduceat(v, [0, 2])", ATTRIBUTE, "numpy.add.reduceat accepts tensors"),
        ("sz.maximum.accumulate(x)", ATTRIBUTE, "numpy.maximum.accumulate accepts tensors"),
        ("sz.hypot.accumulate(x)", ATTRIBUTE, "use numpy.hypot.accumulate of numpy.asarray(x)"),
        ("sz.subtract.outer(v, v)", ATTRIBUTE, "numpy.subtract.outer accepts tensors"),
        ("sz.add.at(v, k, 1)", ATTRIBUTE, "use suanzi.scatter(v, i, 1.0, mode='add')"),
        ("sz.exp.at(v, k)", ATTRIBUTE, "exp has no 'at'"),
    ],
    "networks": [
        ("sz.nn.pad(x, (1, 1))", ATTRIBUTE, "F.pad(x, (1, 1)) begins with the last axis"),
        ("sz.nn.unfold(picture, 2)", ATTRIBUTE, "sliding_window_view(x, (2, 2), axis=(2, 3))"),
        ("sz.nn.conv(picture, sz.ones((4, 2, 3, 3)), groups=2)", VALUE, "the weight has the shape (4, 1, 3, 3)"),
        ("sz.nn.conv(picture, sz.ones((2, 1, 3, 3)))", VALUE, "use groups=2 for a weight of shape (2, 1, 3, 3)"),
        ("sz.nn.conv(picture, sz.ones((4, 3, 3, 3)))", VALUE, "the shape of weight is (out, 2, ...)"),
        ("sz.nn.conv(z, sz.ones((8, 4, 2)))", VALUE, "suanzi.transpose(x, (0, 2, 1)) makes the last axis"),
        ("sz.nn.conv(picture, picture, data_format='NHWC')", TYPE, "suanzi.transpose(x, (0, 3, 1, 2))"),
        ("sz.nn.pdist(x)", ATTRIBUTE, "use suanzi.vector_norm(x[:, None] - x, axis=-1)"),
        ("sz.keras.layers", ATTRIBUTE, "suanzi has no layers"),
    ],
    "models": [
        ("model.run({'x': np.ones(3)})", TYPE, "use x.astype('float32')"),
        ("model({'x': v})", TYPE, "use model.run({'x': x}), or model(x=x)"),
        ("model.run(v)", TYPE, "use model.run([x]), or model(x)"),
        ("model.run({'x': None})", TYPE, "run: input 'x' is NoneType, not a tensor"),
        ("model.run(x=v)", TYPE, "use model.run({'x': x})"),
        ("model.run({'x': {'y': v}})", TYPE, "run: input 'x' is dict, not a tensor"),
        ("sz.keras", ATTRIBUTE, "suanzi.interop.onnx.load('model.onnx')"),
    ],
    "indexing": [
        ("x[0, 0, 0]", INDEX, "0 is an index of axis 2, but a tensor of shape (2, 3) has 2 dimensions"),
        ("z[sz.tensor([True, False, True])]", INDEX, "x[:, mask] selects along axis 1"),
        ("z[sz.tensor([True, False, True, True])]", INDEX, "x[:, :, mask] selects along axis 2"),
        ("sz.gather(v, 0, k)", TYPE, "suanzi.gather(x, index, axis=0)"),
        ("sz.index_select(x, 0, k)", TYPE, "suanzi.index_select(x, index, axis=0)"),
        ("sz.scatter(x, 0, k, 1)", VALUE, "suanzi.scatter(x, index, updates, axis=0)"),
        ("x.compress([True, False], axis=1)", ATTRIBUTE, "use x[v > 1], or x[:, v > 1] along axis 1"),
        ("s[[0, 1]]", TYPE, "suanzi.concat([x[0:1], x[1:2]], axis=0)"),
        ("sz.c_[v, v]", ATTRIBUTE, "use suanzi.stack([v, v], axis=1)"),
        ("sz.s_[0:2]", ATTRIBUTE, "use slice(0, 2)"),
    ],
    "axis": [
        ("x.diagonal(dim1=0, dim2=1)", TYPE, "suanzi.diagonal(x, axis1=0, axis2=1)"),
        ("sz.swapaxes(x, dim0=0, dim1=1)", TYPE, "suanzi.swapaxes(x, axis1=0, axis2=1)"),
        ("sz.sort(x, axis=(0, 1))", TYPE, "axis= is one integer"),
        ("sz.sort(x, 'descend')", TYPE, "use suanzi.sort(x, descending=True)"),
        ("sz.transpose(x, dim0=0, dim1=1)", TYPE, "suanzi.swapaxes(x, 0, 1)"),
        ("sz.argmax(z, (0, 2))", TYPE, "axis= is one integer"),
        ("v.sort(key=abs)", TYPE, "v[suanzi.argsort(f(v))]"),
        ("sz.normal(3, key=1)", TYPE, "suanzi.random.Generator(7)"),
        ("sz.mean(x, skipna=True)", TYPE, "suanzi.extras.nanmean(x)"),
        ("sz.maximum(v, v, v)", TYPE, "use suanzi.maximum(suanzi.maximum(x1, x2), x3), or out=x3"),
        ("sz.subtract(v, v, v)", TYPE, "use suanzi.subtract(x1, x2, out=y)"),
        ("sz.exp(v, v)", TYPE, "use suanzi.exp(x, out=y)"),
        ("sz.extras.quantile(x, 50)", INDEX, "0.5 for 50 percent"),
    ],
    "shapes": [
        ("sz.pad(x, (1, 1, 0, 0))", VALUE, "PyTorch's widths begin with the last axis"),
        ("sz.concat([v, 4.0])", TYPE, "use suanzi.tensor([4.0])"),
        ("sz.concat([v, sz.tensor(4.0)])", VALUE, "x[None] is a vector"),
        ("sz.concat([1.0, 2.0])", TYPE, "use suanzi.tensor([1.0, 2.0])"),
        ("sz.stack([v, 4.0])", TYPE, "use suanzi.full_like(x, 4.0)"),
        ("sz.einsum('i,i->', [v, v])", TYPE, "use suanzi.einsum('i,i->', *tensors)"),
        ("sz.interpolate(picture, (8, 8), 'bilinear')", TYPE, "suanzi.interpolate(x, (8, 8), mode='bilinear')"),
        ("sz.einsum('ij,jk->ik', x, x)", VALUE, "the letter 'j' stands for the sizes 3 and 2"),
        ("sz.einsum('ij->ji', x, optimize=True)", TYPE, "leave the keyword out"),
    ],
    "random": [
        ("sz.multinomial([0.5, 0.5], 2)", TYPE, "use suanzi.tensor([0.5, 0.5])"),
        ("sz.random.bernoulli(0.5, 3)", TYPE, "suanzi.full((3,), 0.5)"),
        ("sz.bernoulli(0.25, (2, 3))", TYPE, "suanzi.full((2, 3), 0.25)"),
        ("sz.random.seed(None)", TYPE, "suanzi.random.seed() draws a seed"),
        ("sz.random.stateless_uniform((2,))", ATTRIBUTE, "use suanzi.random.Generator(7).uniform((2, 3))"),
        ("sz.random.manual_seed_all(0)", ATTRIBUTE, "use suanzi.random.seed(7)"),
        ("sz.randi(10, 3)", ATTRIBUTE, "use suanzi.random.integers((2, 3), 1, 11)"),
        ("sz.random.bernoulli()", TYPE, "use suanzi.random.bernoulli(p)"),
    ],
    "linalg": [
        ("sz.det(x)", VALUE, "are not square"),
        ("sz.lstsq(x, w, rcond=None)", TYPE, "suanzi.lstsq(a, b, rtol=None)"),
        ("sz.pinv(x, rcond=0.1)", TYPE, "suanzi.pinv(x, rtol=0.1)"),
        ("sz.matrix_rank(x, tol=0.1)", TYPE, "rtol= is relative to the largest singular value"),
        ("sz.linalg.band_part(x, 0, -1)", ATTRIBUTE, "use suanzi.tril(suanzi.triu(x, -1), 1)"),
        ("sz.fft.dct(v)", ATTRIBUTE, "scipy.fft.dct accepts tensors"),
        ("sz.matmul(x, x, transpose_a=True)", TYPE, "x1.mT @ x2 is the product"),
    ],
    "sparse": [
        ("sz.sparse.sum(s)", ATTRIBUTE, "the name is suanzi.sum"),
        ("sz.sparse_tensor(j, w, (2, 2))", TYPE, "use suanzi.sparse_tensor((2, 2), indices.T, values)"),
        ("sz.sparse_tensor((2, 2), j, w, format='csc')", TYPE, "indptr= makes compressed rows"),
        ("s.getrow(0)", ATTRIBUTE, "use x[0:1]"),
        ("s.getcol(0)", ATTRIBUTE, "use x[:, 0:1]"),
        ("s.power(2)", ATTRIBUTE, "use x ** 2"),
        ("s.eliminate_zeros()", ATTRIBUTE, "use x = suanzi.to_sparse(x.to_dense())"),
        ("float(s)", VALUE, "float: a tensor of shape (2, 2) is not one element; use x.to_dense()"),
        ("int(s)", VALUE, "int: a tensor of shape (2, 2) is not one element; use x.to_dense()"),
        ("s.setdiag(1)", ATTRIBUTE, "suanzi.to_sparse(suanzi.where("),
        ("sz.linear(sz.quantize(x, 0.1, dtype='qint8'), x)", TYPE, "use suanzi.quantize(x, 0.1, dtype='qint8')"),
    ],
    "NumPy": [
        ("np.max(x, axis=2)", INDEX, "axis=-1 is the last"),
        ("np.concatenate([v, np.float32(4)])", VALUE, "suanzi.stack adds a dimension"),
    ],
    "files": [
        ("sz.save('m.npz', x=x, y=x)", TYPE, "use suanzi.save('m.npz', {'x': x, 'y': y})"),
        ("sz.save(file, x)", TYPE, "numpy.save(file, x.numpy())"),
        ("sz.load(file)", TYPE, "suanzi.tensor(numpy.load(file))"),
        ("sz.loadtxt(['1 2', '3 4'])", TYPE, "suanzi.tensor(numpy.loadtxt(lines))"),
        ("sz.load('x.npy', allow_pickle=True)", TYPE, "leave the keyword out"),
        ("sz.load('x.npy', mmap_mode='r')", TYPE, "suanzi.load(path, memory_map=True)"),
        ("sz.load('x.npy', map_location='cpu')", TYPE, "suanzi.load(path, device='cpu')"),
    ],
}

FOLLOWED = [
    ("sz.gather(x, 1, j)", "suanzi.take_along_axis(x, index, 1)", "np.take_along_axis(x, j, 1)"),
    ("x.gather(-1, j)", "suanzi.take_along_axis(x, index, -1)", "np.take_along_axis(x, j, 1)"),
    ("sz.gather(x, dim=1, index=j)", "suanzi.take_along_axis(x, index, 1)", "np.take_along_axis(x, j, 1)"),
    ("sz.gather(x, 1, j[:1])", "suanzi.take_along_axis(x[:1, :], index, 1)", "np.take_along_axis(x, j, 1)[:1]"),
    ("sz.transpose(x, 0, 1)", "suanzi.swapaxes(x, 0, 1)", "np.swapaxes(x, 0, 1)"),
    ("sz.argmax(x, axis=(0, 1))", "suanzi.argmax(suanzi.flatten(x))", "np.argmax(x)"),
    ("x.sum(0, np.float64)", "suanzi.sum(x, axis=0, dtype='float64')", "np.sum(x, 0)"),
    ("sz.mean(x, 0, 'float64')", "suanzi.mean(x, axis=0, dtype='float64')", "np.mean(x, 0)"),
    ("sz.max(x, 0, 'float64')", "suanzi.max(x, axis=0).astype('float64')", "np.max(x, 0)"),
    ("sz.max(x, [], 1)", "suanzi.max(x, axis=0)", "np.max(x, 0)"),
    (
        "sz.meshgrid([1, 2], [3])",
        "suanzi.meshgrid(suanzi.tensor([1, 2]), suanzi.tensor([3]))",
        "np.meshgrid([1, 2], [3])",
    ),
    ("sz.vector_norm(x, ord='inf')", "ord=math.inf", "math.inf"),
    ("sz.linalg.vector_norm(x, 'inf')", "suanzi.vector_norm(x, ord=math.inf)", "6.0"),
    ("sz.matrix_norm(x, 'fro')", "suanzi.matrix_norm(x, ord='fro')", "np.linalg.norm(x)"),
    ("sz.matrix_norm(x, ord='inf')", "ord=math.inf", "math.inf"),
    ("sz.sort(v, reverse=True)", "suanzi.sort(x, descending=True)", "-np.sort(-x)"),
    ("sz.matmul(x, x, transpose_b=True)", "x1 @ x2.mT", "x @ x.T"),
    (
        "sz.sparse_coo_tensor([[0, 0], [1, 2]], [1.0, 2.0], (2, 3))",
        "suanzi.sparse_tensor((2, 3), suanzi.tensor([[0, 0], [1, 2]], dtype='int64').T, [1.0, 2.0])",
        "[[0, 1, 2], [0, 0, 0]]",
    ),
]
