
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "core/expand/art_expand_error.h"


/* Codes of JSON-RPC (jsonrpc.org/specification, "Error object"). */

#define RPC_PARSE    "-32700"
#define RPC_REQUEST  "-32600"
#define RPC_PARAMS   "-32602"
#define RPC_SERVER   "-32603"


/* Rows in the order of art_message_error_t. */

static const struct {
    unsigned     status;
    const char  *code;
    const char  *rpc;
    const char  *words[ART_LANG_MAX];
} art_message_errors[] = {
    { 400, "signed_request", RPC_REQUEST,
      { "请求已签名，无法展开其中的工件引用",
        "the request is signed: its references cannot be expanded" } },
    { 400, "invalid_encoding", RPC_PARSE,
      { "请求内容的编码无效", "the encoded request body is not valid" } },
    { 413, "too_many_artifacts", RPC_PARAMS,
      { "请求中的工件引用过多",
        "the request has too many artifact references" } },
    { 413, "request_too_large", RPC_PARAMS,
      { "请求内容过大", "the request body is too large" } },
    { 415, "unsupported_encoding", RPC_REQUEST,
      { "不支持此内容编码", "the content encoding is not supported here" } },
    { 400, "invalid_artifact_id", RPC_PARAMS,
      { "此文件保存在这里，无法放入模型服务商的容器",
        "the file is kept here and cannot be put into a provider's container"
      } },
    { 502, "source_failed", RPC_SERVER,
      { "工件读取失败，请稍后重试",
        "the artifact could not be read, try again later" } },
    { 400, "not_found", RPC_PARAMS,
      { "工件不存在或已被删除",
        "the artifact does not exist or has been deleted" } },
    { 413, "artifact_too_large", RPC_PARAMS,
      { "工件过大，无法作为工具参数传递",
        "the artifact is too large to be passed to a tool" } },
    { 500, "no_url", RPC_SERVER,
      { "此处的工件没有 URL", "artifacts have no URL here" } },
    { 400, "invalid_artifact_id", RPC_PARAMS,
      { "此处只能使用图片，而该工件无法作为图片发送",
        "only a picture can be here, and the artifact cannot be sent as one"
      } }
};


unsigned
art_message_error_status(art_message_error_t error)
{
    return art_message_errors[error].status;
}


void
art_message_error_print(art_out_t *out, art_message_error_t error,
    art_str_t ref, const art_api_t *api, art_lang_t lang)
{
    art_str_t       code, message;
    art_json_put_t  put;

    code = art_cstr(art_message_errors[error].code);
    message = art_cstr(art_message_errors[error].words[lang]);

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "type", art_cstr("error"));
    art_json_put_object(&put, "error");
    art_json_put_string(&put, "type",
                        art_message_errors[error].status < 500
                        ? art_cstr("invalid_request_error")
                        : art_cstr("api_error"));
    art_json_put_string(&put, "code", code);
    art_json_put_string(&put, "message", message);

    if (ref.len > 0) {
        art_json_put_prefixed(&put, "param", "artifact:", ref);

    } else {
        art_json_put_raw(&put, "param", art_cstr("null"));
    }

    art_json_put_end(&put);

    if (api->flags & ART_API_AWS) {
        art_json_put_string(&put, "code", code);
        art_json_put_string(&put, "message", message);
    }

    art_json_put_end(&put);
}


/* Clients show the message, and not all of them the data. */

void
art_message_error_call(art_out_t *out, art_message_error_t error,
    art_str_t ref, art_str_t id, art_lang_t lang)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "jsonrpc", art_cstr("2.0"));
    art_json_put_raw(&put, "id", id);
    art_json_put_object(&put, "error");
    art_json_put_raw(&put, "code", art_cstr(art_message_errors[error].rpc));

    art_json_put_key(&put, "message");
    art_out_char(out, '"');
    art_out_cstr(out, art_message_errors[error].words[lang]);

    if (ref.len > 0) {
        art_out_cstr(out, ": artifact:");
        art_json_string(out, ref, 1);
    }

    art_out_char(out, '"');

    if (ref.len > 0) {
        art_json_put_object(&put, "data");
        art_json_put_prefixed(&put, "uri", "artifact:", ref);
        art_json_put_end(&put);
    }

    art_json_put_end(&put);
    art_json_put_end(&put);
}
