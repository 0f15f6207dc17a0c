"""From step to step: start, plan of legs, march, remedies, ensembles, what a run leaves."""
