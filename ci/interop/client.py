"""The Python SDK lists every tool of a real server without a warning and calls one of each toolset.

Usage: client.py SERVER ROOT
"""

import asyncio
import json
import logging
import pathlib
import subprocess
import sys
import warnings

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SERVER, ROOT = sys.argv[1:3]
CALLS = json.loads((pathlib.Path(__file__).parent / "calls.json").read_text())
TOOLS = json.loads(subprocess.check_output([SERVER, "tools", "--json"], cwd=ROOT))


class Noticed(logging.Handler):
    """Keeps every warning that the SDK logs."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


async def main():
    noticed = Noticed()
    logging.getLogger().addHandler(noticed)
    server = StdioServerParameters(command=SERVER, args=["serve", "--root", ROOT])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        listed = (await session.list_tools()).tools
        assert len(listed) == len(TOOLS), f"listed {len(listed)} of {len(TOOLS)} tools"
        toolsets = list(dict.fromkeys(tool["toolset"] for tool in TOOLS))
        for toolset in toolsets:
            name, arguments = CALLS[toolset]
            result = await session.call_tool(name, arguments)
            assert result.content, f"{name} has no content"
    assert not noticed.said, f"warnings: {noticed.said}"
    print(f"Python mcp 2.3.0: {len(listed)} tools listed, {len(toolsets)} called")


warnings.simplefilter("error", UserWarning)
asyncio.run(main())
