"""The peer on the Python SDK: the same hello tool, with validated input and output."""

from typing import Annotated

from mcp.server import MCPServer
from pydantic import BaseModel, Field

server = MCPServer("hello")


class Greeting(BaseModel):
    greeting: str


@server.tool()
def hello(
    name: Annotated[str, Field(min_length=1, max_length=64, pattern="^[A-Za-z ]+$")],
    times: Annotated[int, Field(ge=1, le=10)],
) -> Greeting:
    """Greets somebody."""
    return Greeting(greeting=f"Hello, {name}! " * times)


server.run(transport="stdio")
