"""Figures and summaries of runs, studies and schemes; matplotlib is loaded only when a figure is drawn."""
