"""isodyn against other packages on the same problems, in one run: `make bench`, or
`python -m benchmarks.peers`.

workers     one process per package, on one core and one thread, that runs cases when asked to (`worker` is what runs in it)
measure     interleaved repeats, cost per step, time to an accuracy, ratios with their spread
problems    one module for each problem: its data, its reference, and how every package runs it
claims      what is to be shown, as ratios
report      tables, JSON, the page of the documentation; `figures` draws the work–precision diagrams
"""
