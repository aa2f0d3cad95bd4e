"""The client of fastmcp."""

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

import story


def transport(target):
    if target.http:
        return StreamableHttpTransport(target.url, headers=target.headers)
    return StdioTransport(target.command, target.arguments, env=target.environment, keep_alive=False)


async def session(target):
    async with Client(transport(target)) as client:

        async def names():
            return [tool.name for tool in await client.list_tools()]

        async def call(name, arguments):
            result = await client.call_tool(name, arguments, raise_on_error=False)
            text = "\n".join(part.text for part in result.content if part.type == "text")
            return story.Answer(result.is_error, text, result.structured_content)

        async def read(uri):
            return (await client.read_resource(uri))[0].text

        assert await client.ping()
        # Its typed form of an answer, made from the tool's output schema.
        typed = await client.call_tool("run_code", {"code": "6 * 7"})
        assert typed.data is not None and typed.structured_content["result"] == "42", typed
        await story.tell(names, call, read)


story.main(session)
