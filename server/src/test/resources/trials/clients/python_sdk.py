"""The official client for Python."""

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import story


def connection(target, http):
    if target.http:
        return streamable_http_client(target.url, http_client=http)
    return StdioServerParameters(command=target.command, args=target.arguments, env=target.environment)


async def session(target):
    async with (
        httpx2.AsyncClient(headers=target.headers, timeout=story.PATIENCE) as http,
        Client(connection(target, http)) as client,
    ):
        assert client.server_info.name == "atoll", client.server_info

        async def names():
            return [tool.name for tool in (await client.list_tools()).tools]

        async def call(name, arguments):
            result = await client.call_tool(name, arguments)
            text = "\n".join(part.text for part in result.content if part.type == "text")
            return story.Answer(result.is_error, text, result.structured_content)

        async def read(uri):
            return (await client.read_resource(uri)).contents[0].text

        assert len((await client.list_resource_templates()).resource_templates) == 1
        told = []

        async def heard(progress, total, message):
            told.append(message)

        await client.call_tool(
            "run_code",
            {"code": "import time\nfor i in range(3): print('step', i, flush=True); time.sleep(0.2)"},
            progress_callback=heard,
        )
        assert any("step 1" in (message or "") for message in told), told
        await story.tell(names, call, read)


story.main(session)
