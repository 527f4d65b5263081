#!/usr/bin/env python3
# Reads what hy_export wrote with nothing but the standard library:  python3 examples/read_model.py PREFIX [EPOCH]
import json
import struct
import sys

TYPES = {0: 'f', 1: 'd', 2: 'e', 3: 'B', 4: 'i', 5: 'b', 6: 'q', 7: '?'}        # MXNet's numbers


def read_params(path):
    """{name: (shape, values)} of a .params file whose arrays are dense."""
    data = open(path, 'rb').read()
    at = 0

    def take(form):
        nonlocal at
        values = struct.unpack_from('<' + form, data, at)
        at += struct.calcsize('<' + form)
        return values

    magic, _, n = take('QQQ')
    assert magic == 0x112, 'no list of arrays'
    arrays = []
    for _ in range(n):
        version, stype, ndim = take('Iii')
        assert version in (0xF993FAC9, 0xF993FACA) and stype == 0, 'an old or a sparse array'
        shape = take('%dq' % ndim)
        _, _, kind = take('iii')
        count = 1
        for size in shape:
            count *= size
        arrays.append((shape, take('%d%s' % (count, TYPES[kind]))))
    names = []
    for _ in range(take('Q')[0]):
        names.append(take('%ds' % take('Q')[0])[0].decode())
    assert at == len(data) and len(names) == n
    return dict(zip(names, arrays))


def main(prefix, epoch=0):
    graph = json.load(open(prefix + '-symbol.json'))
    params = read_params('%s-%04d.params' % (prefix, int(epoch)))
    for node in graph['nodes']:
        inputs = ', '.join(graph['nodes'][i[0]]['name'] for i in node['inputs'])
        value = params.get('arg:' + node['name'], params.get('aux:' + node['name']))
        if value:
            print('%-16s %-12s sum %.4f' % (node['name'], 'x'.join(map(str, value[0])), sum(value[1])))
        else:
            print('%-16s %s' % (node['name'], 'input' if node['op'] == 'null' else '%s(%s)' % (node['op'], inputs)))


if __name__ == '__main__':
    main(*sys.argv[1:])
