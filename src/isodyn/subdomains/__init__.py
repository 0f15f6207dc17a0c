"""Parts of a system with schemes and step sizes of their own, tied at their interfaces."""

from isodyn.subdomains.advice import Advice, SubdomainAdvice, advise, matching_rho
from isodyn.subdomains.elements import Elements
from isodyn.subdomains.partitioning import partition
from isodyn.subdomains.solution import InterfaceBalance, InterfaceDrift, SubdomainSample, SubdomainSolution
from isodyn.subdomains.ties import Subdomains

__all__ = [
    "Advice",
    "Elements",
    "InterfaceBalance",
    "InterfaceDrift",
    "SubdomainAdvice",
    "SubdomainSample",
    "SubdomainSolution",
    "Subdomains",
    "advise",
    "matching_rho",
    "partition",
]
