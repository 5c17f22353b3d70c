"""run_cases.py FILE CLASS: runs the cases of a class of tests; with WEFT_TEST_CASES, a regular expression, those whose
CLASS.name it finds."""

import importlib
import os
import re
import sys
import unittest
from pathlib import Path

path, name = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(path.parent))
wanted = re.compile(os.environ.get("WEFT_TEST_CASES", ""))
cases = unittest.defaultTestLoader.loadTestsFromName(name, importlib.import_module(path.stem))
chosen = [case for case in cases if wanted.search(case.id().split(".", 1)[1].replace(".test_", "."))]
sys.exit(not chosen or not unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(chosen)).wasSuccessful())
