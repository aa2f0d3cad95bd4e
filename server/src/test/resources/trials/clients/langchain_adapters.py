"""Tools of LangChain, made by langchain-mcp-adapters."""

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.resources import load_mcp_resources
from langchain_mcp_adapters.tools import load_mcp_tools

import story


def connection(target):
    if target.http:
        return {"transport": "streamable_http", "url": target.url, "headers": target.headers}
    return {"transport": "stdio", "command": target.command, "args": target.arguments, "env": target.environment}


async def session(target):
    client = MultiServerMCPClient({"atoll": connection(target)})
    async with client.session("atoll") as connected:
        tools = {tool.name: tool for tool in await load_mcp_tools(connected)}

        async def names():
            return list(tools)

        async def call(name, arguments):
            message = await tools[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": arguments})
            content = message.content
            text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
            artifact = message.artifact or {}
            return story.Answer(message.status == "error", text, artifact.get("structured_content"))

        async def read(uri):
            return (await load_mcp_resources(connected, uris=[uri]))[0].as_string()

        # Its MCP client, of the first generation for Python, tells the server nothing when a call is cancelled.
        await story.tell(names, call, read, cancels=False)


story.main(session)
