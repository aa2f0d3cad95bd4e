"""The client in OpenAI's library for agents; no model and no account has a part in it."""

from agents import set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

import story


def connection(target):
    settings = {"name": "atoll", "client_session_timeout_seconds": story.PATIENCE}
    if target.http:
        return MCPServerStreamableHttp(params={"url": target.url, "headers": target.headers}, **settings)
    params = {"command": target.command, "args": target.arguments, "env": target.environment}
    return MCPServerStdio(params=params, **settings)


async def session(target):
    set_tracing_disabled(True)
    async with connection(target) as server:

        async def names():
            return [tool.name for tool in await server.list_tools()]

        async def call(name, arguments):
            result = await server.call_tool(name, arguments)
            text = "\n".join(part.text for part in result.content if part.type == "text")
            return story.Answer(result.is_error, text, result.structured_content)

        async def read(uri):
            return (await server.read_resource(uri)).contents[0].text

        await story.tell(names, call, read)


story.main(session)
