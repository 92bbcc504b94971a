"""The operations as routes: POST /v1/… with the arguments as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.config import JsonDict
from starlette.responses import JSONResponse

from longmind.access.refusals import Answer
from longmind.http.service import Service
from longmind.operations import registry
from longmind.operations.operation import Operation
from longmind.operations.schema import answer_schema
from longmind.operations.values import plain

PREFIX: Final = "/v1"
_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "hint": {"type": ["string", "null"]},
                "fields": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["field", "message"],
                        "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
                    },
                },
            },
        }
    },
}


def route(operation: Operation) -> str:
    """Where an operation is asked for."""
    return "/".join((PREFIX, *operation.path))


def operation_routes(service: Service) -> APIRouter:
    """Every operation as a route."""
    router = APIRouter()
    for operation in registry.operations():
        router.add_api_route(
            route(operation),
            _endpoint(operation, service),
            methods=["POST"],
            name=operation.name,
            operation_id=operation.name.replace(".", "_"),
            summary=operation.summary,
            description=operation.description,
            tags=[operation.path[0] if len(operation.path) > 1 else "memory"],
            responses={200: {"description": "The answer."}},
        )
    return router


def _endpoint(operation: Operation, service: Service) -> Callable[..., Any]:
    """A function that says what its body is, by the operation's arguments."""

    async def answer(request: Request, body: Any) -> JSONResponse:
        inputs: Mapping[str, Any] = {} if body is None else body.model_dump(exclude_unset=True)
        return await service.answer(request, operation, inputs, lambda result: Answer(plain(result)))

    model = body_model(operation)
    required = any(item.required for item in operation.parameters)
    answer.__annotations__ = {
        "request": Request,
        "body": model if required else model | None,
        "return": JSONResponse,
    }
    if not required:
        answer.__defaults__ = (None,)
    return answer


def body_model(operation: Operation) -> type[BaseModel]:
    """The arguments of an operation as a model: exact types, and nothing else beside them."""
    fields: dict[str, Any] = {
        item.name: (item.type, Field(... if item.required else item.default, description=item.help))
        for item in operation.parameters
    }
    extra: JsonDict | None = {"examples": [dict(operation.example)]} if operation.example else None
    config = ConfigDict(extra="forbid", strict=True, json_schema_extra=extra)
    name = "".join(part.title() for part in operation.name.replace("_", ".").split("."))
    model: type[BaseModel] = create_model(name, __config__=config, **fields)
    return model


def describe_answers(app: FastAPI) -> None:
    """Add to the OpenAPI document what operations answer, and what every refusal looks like."""
    plain_openapi = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = plain_openapi()
            shapes = document.setdefault("components", {}).setdefault("schemas", {})
            shapes["Error"] = _ERROR
            shapes.pop("HTTPValidationError", None)
            shapes.pop("ValidationError", None)
            for operation in registry.operations():
                entry = document["paths"][route(operation)]["post"]
                schema = answer_schema(operation)
                shapes.update(_relocated(schema.pop("$defs", {})))
                shapes[schema["title"]] = _relocated(schema)
                content = {"schema": {"$ref": f"#/components/schemas/{schema['title']}"}}
                entry["responses"]["200"]["content"] = {"application/json": content}
            refused = {
                "description": "Refused; the body says why, and what to do.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }
            for methods in document["paths"].values():
                for entry in methods.values():
                    entry["responses"].pop("422", None)
                    entry["responses"]["default"] = refused
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _relocated(value: Any) -> Any:
    """References as they are in an OpenAPI document."""
    if isinstance(value, dict):
        return {
            key: item.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else _relocated(item)
            for key, item in value.items()
        }
    return [_relocated(item) for item in value] if isinstance(value, list) else value
