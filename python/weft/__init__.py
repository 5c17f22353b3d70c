"""weft from Python: runs, sweeps, timelines and their comparison as objects with DataFrames.

    import weft
    result = weft.run("conv-small", kernel={"profile": "rtl"})
    result.cycles
    result.convolutions                  # a pandas DataFrame; .attrs["units"] has the units

Every function calls the weft of the project that this module lies in ($WEFT_BINARY names another). What weft refuses is
a weft.Error with weft's own line. Units and meanings are weft's own, too: weft.meaning("run", "totals.network.gops").
Only DataFrames need pandas."""

from .cluster import ClusterTimeline, Plan
from .commands import compare, dse, explain, load, plan, run, sweep, timeline, train, validate
from .comparison import Comparison, IterationComparison, PlanComparison, ValidationComparison
from .errors import Error
from .explanation import Explanation
from .exploration import Exploration
from .result import Result
from .meanings import Meaning, meaning, schema
from .database import Sweep
from .iteration import Timeline
from .training import Training
from .validation import Validation

__all__ = ["ClusterTimeline", "Comparison", "Error", "Explanation", "Exploration", "IterationComparison", "Meaning", "Plan", "PlanComparison", "Result", "Sweep",
           "Timeline", "Training", "Validation", "ValidationComparison", "compare", "dse", "explain", "load", "meaning", "plan", "run", "schema", "sweep", "timeline",
           "train", "validate"]


def __dir__() -> list[str]:
    """The names of the interface, without the modules that it is made of."""
    return sorted(__all__)
