# np_reduce, np_shape, np_attention, zip64.npz and deflated.npz: python3 make_np.py in an empty folder
import struct, warnings, zipfile
import numpy as onp
onp.bool = bool
warnings.filterwarnings('ignore')
import mxnet as mx
from mxnet import gluon, np, npx
from mxnet.gluon import nn
npx.set_np()
mx.random.seed(7)
onp.random.seed(7)

def put(name, net, x):
    net.initialize(mx.init.Normal(0.5))
    net.hybridize()
    y = net(x)
    net.export(name, 0)
    y = y if isinstance(y, (list, tuple)) else [y]
    onp.savez(name + '.npz', x.asnumpy(), *[v.asnumpy() for v in y])        # arr_0: what it was called with; arr_1 ...: what it gave

class Many(gluon.HybridBlock):
    def __init__(self, f):
        super().__init__()
        self.f = f
    def hybrid_forward(self, F, x): return self.f(F, x)

class Attention(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = [nn.Dense(4, flatten=False) for _ in 'qkv']
    def hybrid_forward(self, F, x):
        q, k, v = [F.npx.reshape(f(x), (-2, -2, 2, -1)).transpose(0, 2, 1, 3) for f in (self.q, self.k, self.v)]
        a = F.npx.softmax(F.np.matmul(q, F.np.swapaxes(k, 2, 3)) / 2.0)
        return F.npx.reshape(F.np.matmul(a, v).transpose(0, 2, 1, 3), (-2, -2, -1)).mean(axis=1)

put('np_reduce', Many(lambda F, x: [
    F.np.sum(x), F.np.mean(x, axis=(0, 1)), F.np.max(x, axis=-1), F.np.min(x, axis=1, keepdims=True),
    F.np.prod(F.np.sum(x, axis=(0, 2)), axis=0), F.np.std(x), F.np.var(x, axis=1), F.np.argmax(x), F.np.argmin(x, axis=1), x > 0,
    F.np.where(x > 0, x, 0.5), F.np.where(x > 0, 2.0, x), (x < 0.5) * x, F.np.roll(x, 1, axis=1), F.np.roll(x, -2)]), np.random.normal(size=(2, 3, 2)))
put('np_shape', Many(lambda F, x: [
    F.npx.reshape(x, (-2, -5)), F.npx.reshape(x, (-2, -2, -6, 2, -1)), F.npx.reshape(F.np.expand_dims(x, 1), (-2, -3, -4)),
    F.npx.reshape(F.np.expand_dims(x, 3), (-1, -3), reverse=True), F.np.reshape(x, (4, -1)), F.np.reshape(F.np.sum(x), ()),
    F.np.squeeze(F.np.expand_dims(x, 1), axis=1), F.np.transpose(x), F.np.moveaxis(x, 0, -1), F.np.moveaxis(x, -1, 0), F.np.moveaxis(x, 0, 1),
    F.np.concatenate([x, x], axis=1), F.np.stack([x, x], axis=-1), F.np.flip(x, 1), F.np.full_like(x, 3), F.np.tensordot(x, F.np.ones((4, 2)), axes=1)]),
    np.random.normal(size=(2, 3, 4)))
put('np_attention', Attention(), np.random.normal(size=(2, 3, 4)))

def zip64(path, arrays):                # every number in 64 bits, as if the file were larger than 4 GB
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 10, 1
    with zipfile.ZipFile(path, 'w') as z:
        for name, a in arrays.items():
            with z.open(zipfile.ZipInfo(name + '.npy'), 'w', force_zip64=True) as f: onp.save(f, a)
    data = bytearray(open(path, 'rb').read())
    struct.pack_into('<HHII', data, len(data) - 14, 0xffff, 0xffff, 0xffffffff, 0xffffffff)
    open(path, 'wb').write(data)

onp.savez_compressed('deflated.npz', w=onp.zeros(9, 'f4'))
zip64('zip64.npz', {'a': onp.arange(6, dtype='f4').reshape(2, 3), 'b': onp.array(7, dtype='i8')})
