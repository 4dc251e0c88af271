
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_error.h"
#include "core/json/art_json_put.h"
#include "core/expand/art_expand_error.h"


/* Rows in the order of art_message_error_t. */

static const art_rpc_row_t  art_message_errors[] = {
    { ART_RPC_REQUEST, { 400, "signed_request",
      { "请求已签名，无法展开其中的工件引用",
        "the request is signed: its references cannot be expanded" } } },
    { ART_RPC_PARSE, { 400, "invalid_encoding",
      { "请求内容的编码无效", "the encoded request body is not valid" } } },
    { ART_RPC_PARAMS, { 413, "too_many_artifacts",
      { "请求中的工件引用过多",
        "the request has too many artifact references" } } },
    { ART_RPC_PARAMS, { 413, "request_too_large",
      { "请求内容过大", "the request body is too large" } } },
    { ART_RPC_REQUEST, { 415, "unsupported_encoding",
      { "不支持此内容编码", "the content encoding is not supported here" } } },
    { ART_RPC_PARAMS, { 400, "invalid_artifact_id",
      { "此文件保存在这里，无法放入模型服务商的容器",
        "the file is kept here and cannot be put into a provider's container"
      } } },
    { ART_RPC_INTERNAL, { 502, "source_failed",
      { "工件读取失败，请稍后重试",
        "the artifact could not be read, try again later" } } },
    { ART_RPC_PARAMS, { 400, "not_found",
      { "工件不存在或已被删除",
        "the artifact does not exist or has been deleted" } } },
    { ART_RPC_PARAMS, { 413, "artifact_too_large",
      { "工件过大，无法作为工具参数传递",
        "the artifact is too large to be passed to a tool" } } },
    { ART_RPC_INTERNAL, { 500, "no_url",
      { "此处的工件没有 URL", "artifacts have no URL here" } } },
    { ART_RPC_PARAMS, { 400, "invalid_artifact_id",
      { "此处只能使用图片，而该工件无法作为图片发送",
        "only a picture can be here, and the artifact cannot be sent as one"
      } } }
};


unsigned
art_message_error_status(art_message_error_t error)
{
    return art_message_errors[error].row.status;
}


const char *
art_message_error_code(art_message_error_t error)
{
    return art_message_errors[error].row.code;
}


void
art_message_error_print(art_out_t *out, art_message_error_t error,
    art_str_t ref, const art_api_t *api, art_lang_t lang)
{
    art_str_t               code, message;
    art_json_put_t          put;
    const art_error_row_t  *row;

    row = &art_message_errors[error].row;
    code = art_cstr(row->code);
    message = art_cstr(row->words[lang]);

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "type", art_cstr("error"));
    art_json_put_object(&put, "error");
    art_json_put_string(&put, "type", art_cstr(row->status < 500
                                               ? "invalid_request_error"
                                               : "api_error"));
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
    art_json_put_t        put;
    const art_rpc_row_t  *row;

    row = &art_message_errors[error];

    if (ref.len == 0) {
        ref.data = NULL;
    }

    art_json_put_init(&put, out, 0);
    art_json_rpc_error(&put, id, row->rpc, row->row.words[lang], "artifact:",
                       ref);

    if (ref.len > 0) {
        art_json_put_object(&put, "data");
        art_json_put_prefixed(&put, "uri", "artifact:", ref);
        art_json_put_end(&put);
    }

    art_json_put_end(&put);
    art_json_put_end(&put);
}
