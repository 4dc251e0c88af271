
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Requests of each API with one part in each position, and the parts.
 */


#ifndef ART_EXPAND_SHAPES_H_INCLUDED_
#define ART_EXPAND_SHAPES_H_INCLUDED_


#include "core/api/art_api_rules.h"


/* "%s" is the part, or several of them. */

#define CHAT(api)                                                             \
    { api, {                                                                  \
        "{'messages':[{'role':'user','content':[%s]}],'model':'m'}",          \
        "{'messages':[{'content':[%s],'role':'developer'}]}",                 \
        "{'messages':[{'role':'assistant','content':[%s]}]}",                 \
        "{'messages':[{'role':'assistant','content':null,'tool_calls':["      \
        "{'id':'c1'},{'id':'c2'}]},{'role':'tool','tool_call_id':'c1',"       \
        "'content':[%s]},{'role':'tool','content':'x','tool_call_id':'c2'},"  \
        "{'role':'user','content':'q'}]}" } }

static const struct {
    const char  *api;
    const char  *bodies[ART_ROLE_MAX];
} shapes[] = {
    CHAT("openai"),
    CHAT("openrouter"),
    CHAT("mistral"),
    { "openai_responses", {
        "{'input':[{'role':'user','content':[%s]}]}",
        "{'input':[{'type':'message','role':'system','content':[%s]}]}",
        "{'input':[{'content':[%s],'type':'message','role':'assistant'}]}",
        "{'input':[{'output':[%s],'type':'function_call_output','call_id':"
        "'c1'},{'type':'function_call_output','call_id':'c2','output':'x'}"
        "]}" } },
    { "anthropic", {
        "{'messages':[{'role':'user','content':[%s]}]}",
        "{'messages':[],'system':[%s]}",
        "{'messages':[{'content':[%s],'role':'assistant'}]}",
        "{'messages':[{'role':'user','content':[{'type':'tool_result',"
        "'tool_use_id':'c1','content':[%s]},{'type':'tool_result',"
        "'tool_use_id':'c2','content':'x'}]}]}" } },
    { "gemini", {
        "{'contents':[{'parts':[%s]}]}",
        "{'system_instruction':{'parts':[%s]},'contents':[]}",
        "{'contents':[{'parts':[%s],'role':'model'}]}",
        "{'contents':[{'role':'user','parts':[{'functionResponse':{'id':'c1',"
        "'response':{'a':1},'parts':[%s]}},{'functionResponse':{'id':'c2',"
        "'response':{'output':'x'}}}]}]}" } },
    { "bedrock", {
        "{'messages':[{'role':'user','content':[%s]}]}",
        "{'system':[%s],'messages':[]}",
        "{'messages':[{'role':'assistant','content':[%s]}]}",
        "{'messages':[{'role':'user','content':[{'toolResult':{'toolUseId':"
        "'c1','content':[%s]}},{'toolResult':{'toolUseId':'c2','content':["
        "{'text':'x'}]}}]}]}" } }
};


/* "%s" is the value; 0 kinds: the neutral part. */

#define IMAGE     (1 << ART_KIND_IMAGE)
#define AUDIO     (1 << ART_KIND_AUDIO)
#define VIDEO     (1 << ART_KIND_VIDEO)
#define DOCUMENT  (1 << ART_KIND_DOCUMENT)

#define CHAT_PARTS(api)                                                       \
    { api, 0, "{'type':'artifact','artifact':'%s'}" },                        \
    { api, IMAGE, "{'type':'image_url','image_url':{'url':'%s'}}" },          \
    { api, DOCUMENT, "{'type':'file','file':{'file_id':'%s'}}" },             \
    { api, DOCUMENT, "{'file':{'file_data':'%s'},'type':'file'}" },           \
    { api, AUDIO, "{'type':'input_audio','input_audio':{'format':'wav',"      \
      "'data':'%s'}}" },                                                      \
    { api, VIDEO, "{'type':'video_url','video_url':{'url':'%s'}}" }

static const struct {
    const char  *api;
    int          kinds;
    const char  *part;
} parts[] = {
    CHAT_PARTS("openai"),
    CHAT_PARTS("openrouter"),
    { "mistral", 0, "{'artifact':'%s','type':'artifact'}" },
    { "mistral", IMAGE, "{'type':'image_url','image_url':'%s'}" },
    { "mistral", DOCUMENT, "{'type':'document_url','document_url':'%s'}" },
    { "mistral", AUDIO, "{'type':'input_audio','input_audio':'%s'}" },
    { "mistral", DOCUMENT, "{'type':'file','file_id':'%s'}" },
    { "openai_responses", 0, "{'type':'artifact','artifact':'%s'}" },
    { "openai_responses", IMAGE, "{'type':'input_image','image_url':'%s'}" },
    { "openai_responses", IMAGE, "{'file_id':'%s','type':'input_image'}" },
    { "openai_responses", DOCUMENT, "{'type':'input_file','file_url':'%s'}" },
    { "openai_responses", DOCUMENT, "{'type':'input_file','file_id':'%s'}" },
    { "openai_responses", DOCUMENT,
      "{'type':'input_file','filename':'n','file_data':'%s'}" },
    { "anthropic", 0, "{'type':'artifact','artifact':'%s'}" },
    { "anthropic", IMAGE,
      "{'type':'image','source':{'type':'url','url':'%s'}}" },
    { "anthropic", DOCUMENT,
      "{'source':{'file_id':'%s','type':'file'},'type':'document'}" },
    { "anthropic", IMAGE, "{'type':'image','source':{'type':'base64',"
      "'media_type':'image/gif','data':'%s'},'cache_control':{}}" },
    { "gemini", 0, "{'artifact':'%s'}" },
    { "gemini", IMAGE | AUDIO | VIDEO | DOCUMENT,
      "{'fileData':{'mimeType':'image/gif','fileUri':'%s'}}" },
    { "gemini", IMAGE | AUDIO | VIDEO | DOCUMENT,
      "{'inline_data':{'data':'%s'}}" },
    { "bedrock", 0, "{'artifact':'%s'}" },
    { "bedrock", IMAGE,
      "{'image':{'format':'gif','source':{'s3Location':{'uri':'%s'}}}}" },
    { "bedrock", DOCUMENT,
      "{'document':{'source':{'s3Location':{'uri':'%s'}},'format':'csv'}}" },
    { "bedrock", VIDEO,
      "{'video':{'format':'mov','source':{'s3Location':{'uri':'%s'}}}}" },
    { "bedrock", AUDIO,
      "{'audio':{'format':'wav','source':{'s3Location':{'uri':'%s'}}}}" }
};


/* Whether a part has base64, which prose is an error as. */

static TAP_UNUSED int
is_data(const char *part)
{
    return strstr(part, "data':'%s'") != NULL
           || strstr(part, "bytes':'%s'") != NULL
           || strstr(part, "'input_audio':'%s'") != NULL;
}


#endif /* ART_EXPAND_SHAPES_H_INCLUDED_ */
