
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_error.h"
#include "core/json/art_json_put.h"
#include "core/answer/art_error.h"


/* Rows in the order of art_error_t. */

static const art_error_row_t  art_errors[] = {
    { 400, "invalid_artifact_id",
      { "工件引用格式无效", "the artifact reference is malformed" } },
    { 403, "path_traversal_blocked",
      { "路径超出工作区范围，已被拦截",
        "the path leaves its workspace and was blocked" } },
    { 403, "permission_denied",
      { "没有访问权限", "permission denied" } },
    { 403, "signature_missing",
      { "链接缺少签名", "the URL lacks a signature" } },
    { 403, "signature_invalid",
      { "链接的签名无效", "the signature of the URL is not valid" } },
    { 403, "signature_expired",
      { "链接已过期", "the URL has expired" } },
    { 404, "artifact_not_found",
      { "工件不存在或已被删除",
        "the artifact does not exist or was deleted" } },
    { 404, "workspace_not_bound",
      { "工作区不存在", "the workspace does not exist" } },
    { 405, "method_not_allowed",
      { "不支持此请求方法", "the request method is not allowed here" } },
    { 500, "read_failed",
      { "读取失败", "reading failed" } },
    { 502, "read_failed",
      { "存储暂时不可用", "the storage is not available at the moment" } },
    { 502, "read_failed",
      { "内容暂时无法转换", "the content cannot be converted at the moment" } },
    { 502, "upstream_encoded",
      { "上游响应带有内容编码，无法路由",
        "the upstream response has a content encoding and "
        "cannot be routed" } },
    { 502, "upstream_partial",
      { "上游返回了部分内容，无法路由",
        "the upstream response is partial and cannot be routed" } },
    { 504, "upstream_timeout",
      { "上游响应超时", "the upstream did not answer in time" } },
    { 404, "service_not_found",
      { "服务不存在", "the service does not exist" } },
    { 400, "invalid_argument",
      { "请求参数无效", "an argument of the request is invalid" } },
    { 400, "invalid_json",
      { "请求内容不是有效的 JSON 消息",
        "the request body is not a message in JSON" } },
    { 413, "too_many_artifacts",
      { "请求中的工件引用过多",
        "the request has too many artifact references" } },
    { 400, "missing_mime_type",
      { "缺少有效的 MIME 类型（Content-Type）",
        "the request lacks a valid media type (Content-Type)" } },
    { 400, "invalid_name",
      { "名称无效，不能用它创建内容",
        "the name is not valid for new content" } },
    { 400, "invalid_name",
      { "路径没有文件名：为空，或以“/”结尾",
        "the path has no name of a file: it is empty, or ends in a slash" } },
    { 400, "invalid_range",
      { "不支持部分写入（Content-Range）",
        "partial writes (Content-Range) are not supported" } },
    { 400, "invalid_range",
      { "请求内容的长度与上传链接中的 size 不符",
        "the body has not the size that the URL for uploading says" } },
    { 415, "unsupported_media_type",
      { "PUT 只接收文件内容本身，不接收表单（multipart/form-data）",
        "PUT takes the content itself, not a form (multipart/form-data)" } },
    { 400, "invalid_argument",
      { "表单必须包含一个完整的文件", "the form must have one file, whole" } },
    { 500, "write_failed",
      { "写入失败", "writing failed" } },
    { 500, "write_failed",
      { "写入失败：存储空间已满", "writing failed: the storage is full" } },
    { 500, "write_failed",
      { "写入失败：请求内容不完整",
        "writing failed: the request body is incomplete" } },
    { 409, "conflict",
      { "此上传链接已用于其他内容",
        "another content was uploaded to this URL before" } },
    { 411, "length_required",
      { "缺少内容长度", "the request lacks a content length" } },
    { 409, "conflict",
      { "路径与已有的文件或文件夹冲突",
        "a file or folder is in the way of the path" } },
    { 412, "precondition_failed",
      { "前提条件不满足", "a precondition of the request does not hold" } },
    { 413, "content_too_large",
      { "请求内容过大", "the request body is too large" } },
    { 415, "unsupported_media_type",
      { "不支持此媒体类型", "the media type is not supported here" } },
    { 416, "range_not_satisfiable",
      { "请求的范围无效", "the requested range does not exist" } }
};


unsigned
art_error_status(art_error_t error)
{
    return art_errors[error].status;
}


const char *
art_error_code(art_error_t error)
{
    return art_errors[error].code;
}


art_error_t
art_error_of_http(unsigned status)
{
    art_error_t  error;

    for (error = ART_ERR_LENGTH; error < ART_ERR_MAX; error++) {
        if (art_errors[error].status == status) {
            return error;
        }
    }

    return ART_ERR_MAX;
}


void
art_error_print(art_out_t *out, art_error_t error, art_str_t ref,
    art_lang_t lang)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "error", art_cstr(art_errors[error].code));
    art_json_put_string(&put, "ref", ref.data != NULL ? ref : art_cstr(""));
    art_json_put_string(&put, "message",
                        art_cstr(art_errors[error].words[lang]));
    art_json_put_end(&put);
}


void
art_error_words(art_out_t *out, art_error_t error, art_str_t ref,
    art_lang_t lang)
{
    art_out_cstr(out, art_errors[error].words[lang]);
    art_out_cstr(out, " (");
    art_out_cstr(out, art_errors[error].code);
    art_out_char(out, ')');

    if (ref.len > 0) {
        art_out_cstr(out, ": ");
        art_error_ref(out, ref);
    }
}


void
art_error_ref(art_out_t *out, art_str_t ref)
{
    size_t     i, from, len;
    art_str_t  mark;

    mark = art_cstr("[artifact");
    len = art_utf8_cut(ref.data, ref.len, ART_ERROR_REF_MAX);
    from = 0;

    for (i = 0; i + mark.len <= len; i++) {

        if (memcmp(ref.data + i, mark.data, mark.len) == 0) {
            art_utf8_name(out, art_str(ref.data + from, i - from));
            art_out_char(out, '(');
            from = i + 1;
        }
    }

    art_utf8_name(out, art_str(ref.data + from, len - from));

    if (len < ref.len) {
        art_out_cstr(out, "...");
    }
}
