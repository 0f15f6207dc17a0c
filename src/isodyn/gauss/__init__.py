"""The acceleration problem of Gauss' principle by itself: min ½(a − a_f)ᵀM(a − a_f) subject to A a = b."""
