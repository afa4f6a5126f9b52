"""Instruction to PyInstaller: each set of kernels stays in its folder, and no link to one of them stands beside them.

A link in the folder of the program would come first in the library path, and all sets would load the same kernels.
"""

bindepend_symlink_suppression = ["**/llama_cpp/lib*/*.so*"]
