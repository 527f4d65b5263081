import numpy as np, warnings
np.bool=bool
warnings.filterwarnings('ignore')
import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn, rnn
mx.random.seed(7); np.random.seed(7)
def put(name,net,*xs):
    net.initialize(mx.init.Normal(0.5)); net.hybridize()
    y=net(*xs); net.export('theirs/'+name,0)
    ys=y if isinstance(y,(list,tuple)) else [y]
    flat=[]
    for v in ys: flat+= v if isinstance(v,(list,tuple)) else [v]
    fx=[]
    for x in xs: fx+= x if isinstance(x,list) else [x]
    for i,x in enumerate(fx): np.save('theirs/%s-in%d.npy'%(name,i),x.asnumpy())
    for i,v in enumerate(flat): np.save('theirs/%s-out%d.npy'%(name,i),v.asnumpy())
def seq(*l):
    n=nn.HybridSequential()
    n.add(*l); return n
R=lambda *s: nd.random.normal(shape=s)
put('mlp',seq(nn.Dense(16,activation='relu'),nn.Dense(8,activation='tanh'),nn.Dense(2)),R(3,12))
put('lenet',seq(nn.Conv2D(6,5,activation='sigmoid'),nn.MaxPool2D(2,2),nn.Conv2D(16,3,activation='relu'),nn.AvgPool2D(2,2),nn.Flatten(),nn.Dense(20,activation='softrelu'),nn.Dropout(.5),nn.Dense(10)),R(2,1,20,20))
put('bn',seq(nn.Conv2D(4,3,use_bias=False),nn.BatchNorm(),nn.Activation('relu'),nn.BatchNorm(scale=False,axis=1),nn.GlobalAvgPool2D()),R(2,3,8,8))
put('norms',seq(nn.Conv2D(4,3),nn.InstanceNorm(),nn.GroupNorm(1),nn.Flatten(),nn.Dense(6),nn.LayerNorm()),R(2,3,8,8))
put('curves',seq(nn.Dense(6),nn.LeakyReLU(.1),nn.PReLU(),nn.ELU(.7),nn.SELU(),nn.GELU(),nn.Swish(1.5)),R(3,4))
put('deconv',seq(nn.Conv2D(4,3,strides=2,padding=1),nn.Conv2DTranspose(3,4,strides=2,padding=1,output_padding=1),nn.Conv2D(4,3,groups=1,dilation=2)),R(1,2,10,10))
put('conv1d3d',seq(nn.Conv1D(4,3),nn.MaxPool1D(2),nn.Conv1DTranspose(2,2),nn.GlobalMaxPool1D()),R(2,3,12))
put('conv3d',seq(nn.Conv3D(3,2),nn.AvgPool3D(2),nn.GlobalAvgPool3D()),R(1,2,6,6,6))
put('embedding',seq(nn.Embedding(10,5),nn.Dense(3,flatten=False)),nd.array([[1,2],[3,9]]))
put('concurrent',(lambda c:(c.add(nn.Dense(3),nn.Dense(2)),c)[1])(gluon.contrib.nn.HybridConcurrent(axis=1)),R(2,4))
put('lstm',rnn.LSTM(4,2,bidirectional=True),R(5,2,3),[R(4,2,4),R(4,2,4)])
put('gru',rnn.GRU(4,layout='NTC'),R(2,5,3),[R(1,2,4)])
put('rnn',rnn.RNN(3,activation='tanh'),R(5,2,3),[R(1,2,3)])
class Many(gluon.HybridBlock):
    def __init__(s,f): super().__init__(); s.f=f
    def hybrid_forward(s,F,*x): return s.f(F,*x)
put('shape',Many(lambda F,x:[F.reshape(x,(0,-1)),F.transpose(x,(0,2,1)),F.transpose(x),F.expand_dims(x,1),F.slice(x,begin=(0,1),end=(1,None)),F.slice_axis(x,axis=1,begin=1,end=None),F.split(x,2,axis=2)[1],F.repeat(x,2,axis=1),F.tile(x,(1,2,1)),F.flip(x,1),F.swapaxes(x,0,2),F.stack(x,x,axis=1),F.concat(x,x,dim=2),F.broadcast_to(F.slice_axis(x,axis=1,begin=0,end=1),(0,5,0)),F.squeeze(F.expand_dims(x,0),0),F.slice_like(x,F.slice_axis(x,axis=2,begin=0,end=2),axes=(2,))]),R(2,3,4))
put('elem',Many(lambda F,x,y:[x+y,x-y,x*y,x/(F.abs(y)+1),x+1,2-x,x*3,1/(F.abs(x)+1),x**2,2**x,F.maximum(x,y),F.minimum(x,.2),F.broadcast_add(x,F.sum(y,axis=1,keepdims=True)),x>y,x==y,x<0,F.clip(x,-.5,.5),F.relu(x),F.sigmoid(x),F.where(x>0,x,y),F.add_n(x,y,x),F.smooth_l1(x,scalar=1),F.erf(x),F.log1p(F.abs(x)),F.rsqrt(F.abs(x)+1)]),R(3,4),R(3,4))
put('reduce',Many(lambda F,x:[F.sum(x),F.mean(x,axis=(0,2)),F.max(x,axis=1,keepdims=True),F.min(x,axis=1,exclude=True),F.norm(x,axis=1),F.argmax(x,axis=1),F.softmax(x),F.log_softmax(x,axis=1),F.topk(x,k=2,axis=2,ret_typ='value'),F.sort(x,axis=1),F.L2Normalization(x,mode='instance'),F.one_hot(F.argmax(x,axis=1),4),F.pick(x,F.argmax(x,axis=2),axis=2)]),R(2,3,4))
put('dots',Many(lambda F,x:[F.dot(x,x,transpose_b=True),F.batch_dot(F.expand_dims(x,0),F.expand_dims(x,0),transpose_b=True),F.linalg_gemm2(x,x,transpose_b=True),F.FullyConnected(x,x,num_hidden=3,no_bias=True)]),R(3,4))
# Module
d=mx.sym.var('data'); c=mx.sym.Convolution(d,kernel=(3,3),num_filter=4,name='conv1'); b=mx.sym.BatchNorm(c,fix_gamma=False,name='bn1'); a=mx.sym.Activation(b,act_type='relu'); p=mx.sym.Pooling(a,kernel=(2,2),stride=(2,2),pool_type='max'); f=mx.sym.FullyConnected(p,num_hidden=5,name='fc1'); s=mx.sym.SoftmaxOutput(f,name='softmax')
x=R(2,3,8,8)
m=mx.mod.Module(s,context=mx.cpu()); m.bind([('data',(2,3,8,8))],[('softmax_label',(2,))],for_training=False); m.init_params(mx.init.Xavier()); m.forward(mx.io.DataBatch([x],None),is_train=False)
m.save_checkpoint('theirs/module',0); np.save('theirs/module-in0.npy',x.asnumpy()); np.save('theirs/module-out0.npy',m.get_outputs()[0].asnumpy())
# sparse, dtypes
from mxnet.ndarray import sparse
mx.nd.save('theirs/kinds.params',{'f64':nd.array([[1,2],[3,4]],dtype='float64'),'f16':nd.array([1,2.5],dtype='float16'),'u8':nd.array([1,255],dtype='uint8'),'i8':nd.array([-1,5],dtype='int8'),'i32':nd.array([-7,9],dtype='int32'),'i64':nd.array([2**40],dtype='int64'),'bool':nd.array([1,0],dtype='bool'),'row':nd.array([[0,0],[1,2],[0,0],[3,4]]).tostype('row_sparse'),'csr':nd.array([[0,5,0],[0,0,0],[6,0,7]]).tostype('csr')})
mx.nd.save('theirs/list.params',[nd.array([1,2]),nd.array([[3]])])
mx.nd.save('theirs/empty.params',[])
np.savez('theirs/z.npz',a=np.arange(6).reshape(2,3),b=np.asfortranarray(np.arange(6.).reshape(2,3)),c=np.array(3,dtype='>i2'),e=np.zeros((0,3),'f4'))
print('done')
