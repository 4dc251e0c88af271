#!/bin/bash
#
# run.sh start MODULE PORT    (re)starts nginx with conf.example and the
#                             sample data in build/run, prints what to try
# run.sh stop                 ends that nginx, and only that one
#
# The example converter is started as well if its programs are there, and nginx's
# image_filter is used if it is.

set -e

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

cd "$(dirname "$0")/.."

run=$PWD/build/run
filter=/usr/lib/nginx/modules/ngx_http_image_filter_module.so


# the pid of our own nginx, or with "convert" of our converter, if it runs: a
# stale file may name any process

running() {
    local pid name=${1:-nginx} command="nginx -p $run/ "

    [ "$name" = nginx ] || command="--listen unix:$run/convert.sock "

    pid=$(cat "$run/$name.pid" 2> /dev/null) || return 1

    case $pid in '' | *[!0-9]*) return 1 ;; esac

    tr '\0' ' ' < "/proc/$pid/cmdline" 2> /dev/null \
        | grep -qF -e "$command" || return 1

    echo "$pid"
}


stop() {
    local pid i name

    for name in nginx convert; do
        pid=$(running $name) || continue

        kill -TERM "$pid" 2> /dev/null || true

        for i in $(seq 100); do
            [ -d "/proc/$pid" ] || break
            sleep 0.1
        done

        if [ -d "/proc/$pid" ]; then
            echo "$name, pid $pid, does not end" >&2
            exit 1
        fi
    done
}


# The converter of packaging/convert, on a socket.

start_converter() {
    local program i

    for program in python3 convert rsvg-convert pdftotext tesseract pandoc \
                   ffmpeg
    do
        [ -x "/usr/bin/$program" ] || return 1
    done

    rm -f "$run/convert.sock"

    packaging/convert/convert.py --listen "unix:$run/convert.sock" \
        < /dev/null > "$run/logs/convert.log" 2>&1 &
    echo $! > "$run/convert.pid"

    for i in $(seq 50); do
        [ ! -S "$run/convert.sock" ] || return 0
        sleep 0.1
    done

    return 1
}


# conf.example for this port, this socket, and the modules that there are

configuration() {
    sed -e "s/127\.0\.0\.1:8080/127.0.0.1:$1/" \
        -e "s|http://127\.0\.0\.1:8090|http://unix:$run/convert.sock|" \
        conf.example \
    | if [ -f $filter ]; then
        sed -e "s|^# load_module .*image_filter.*|load_module $filter;|" \
            -e '/^ *# location \/small\/ {/,/^ *# }/s/# //' \
            -e 's|# \(artifact_derive .* /small/;\).*|\1|'
    else
        cat
    fi
}


port_free() {
    perl -MIO::Socket::INET -e '
        exit !IO::Socket::INET->new(Listen => 1, ReuseAddr => 1,
            LocalAddr => "127.0.0.1", LocalPort => $ARGV[0])' "$1"
}


start() {
    local module=$1 port=$2 user= converts=yes

    # ours may hold the port, and is about to be replaced

    if ! port_free "$port" \
       && ! { running > /dev/null \
              && grep -q "listen 127\.0\.0\.1:$port;" "$run/nginx.conf"; }
    then
        echo "port $port on 127.0.0.1 is taken by another program;" \
             "end that one, or choose a port: make run PORT=8081" >&2
        exit 1
    fi

    mkdir -p "$run/modules" "$run/logs" "$run/temp"

    cp "$module" "$run/modules/ngx_artifact_module.so.tmp"
    mv -f "$run/modules/ngx_artifact_module.so.tmp" \
          "$run/modules/ngx_artifact_module.so"

    cp scripts/capabilities.json "$run/capabilities.json"
    configuration "$port" > "$run/nginx.conf"

    perl scripts/samples.pl "$run/data"

    # workers must be able to read a tree that may belong to root

    [ "$(id -u)" -ne 0 ] || user='user root;'

    set -- nginx -p "$run/" -c "$run/nginx.conf" -g "$user"

    # before the running instance is touched

    "$@" -t -q

    stop
    start_converter || converts=
    "$@"

    if ! running > /dev/null; then
        tail -n 5 "$run/logs/error.log" >&2
        exit 1
    fi

    hints "http://127.0.0.1:$port"
    shown "http://127.0.0.1:$port" "$converts"
}


# What becomes of a reference, for a model with eyes and for one without.

shown() {
    local model body what

    for what in gradient ${2:+panorama report logo}; do
        echo "A request with {\"url\":\"artifact:$what\"} arrives at a model's API as"

        for model in vision-model text-model; do
            printf '  %-14s' "$model:"
            body='{"model":"'$model'","messages":[{"role":"user","content":['
            body+='{"type":"image_url","image_url":{"url":"artifact:'$what'"}}]}]}'

            curl -s -H 'Content-Type: application/json' -d "$body" \
                "$1/echo/v1/chat/completions" \
            | perl -CSD -0777 -ne '/"content":\[(.{0,110})/s and print "$1..\n"'
        done

        echo
    done

    [ -n "$2" ] \
    || echo "Nothing is converted: that needs the packages imagemagick" \
            "librsvg2-bin poppler-utils tesseract-ocr pandoc ffmpeg" \
            "python3-openpyxl python3-xlrd."
}


hints() {
    cat << END

nginx is running, on $1; its files are in build/run, "make stop" ends it.
A page that shows what is there, and what each model gets: $1/inspector/
Worth trying:

  # a PNG, for a model with eyes: a data URL
  curl -s -H 'X-LLM-Service: vision-model' $1/artifacts/gradient | head -c 300; echo

  # the same PNG, for a model without: words, and who could read it
  curl -s -H 'X-LLM-Service: text-model' $1/artifacts/gradient; echo

  # a PDF, for a model that reads files
  curl -s -H 'X-LLM-Service: full-model' $1/artifacts/report | head -c 300; echo

  # Chinese text, for any model
  curl -s -H 'X-LLM-Service: text-model' $1/artifacts/poem; echo

  # the PNG again, as a content part of OpenAI's Chat Completions
  curl -s -H 'X-LLM-Service: vision-model' '$1/artifacts/gradient?format=openai' | head -c 120; echo

  # a reference in a request to a model's API, as a model with eyes gets it, and one without
  curl -s -H 'Content-Type: application/json' -d '{"model":"vision-model","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"artifact:gradient"}}]}]}' $1/echo/v1/chat/completions | head -c 300; echo
  curl -s -H 'Content-Type: application/json' -d '{"model":"text-model","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"artifact:gradient"}}]}]}' $1/echo/v1/chat/completions; echo

  # a message with two attachments, for a model that sees but reads no files
  curl -s -d '{"payload":{"text":"look","attachments":["artifact:report","artifact:poem"]},"service":"vision-model"}' $1/route; echo

  # writing a workspace file, and reading it back by the id that comes back
  curl -s -X PUT -H 'Content-Type: text/markdown' -H 'X-Agent-Id: agent-1' --data '# Notes' $1/workspaces/notes/today.md; echo
  curl -s -H 'X-LLM-Service: text-model' $1/artifacts/ws:notes:dG9kYXkubWQ; echo

  # what is in a workspace
  curl -s $1/workspaces/agent-abc123/; echo

  # a tool of the MCP server, which is at $1/mcp: the lines with a word
  curl -s -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_artifact","arguments":{"workspace":"agent-abc123","path":"src/main.js","grep":"names"}}}' $1/mcp; echo

  # who can see
  curl -s '$1/services/?capability=vision'; echo

  # what has been counted
  curl -s $1/status; echo

  # a workspace file by its id: src/main.js of agent-abc123
  curl -s $1/artifacts/ws:agent-abc123:c3JjL21haW4uanM/metadata; echo

END
}


case $1 in
    start) start "$2" "$3" ;;
    stop)  stop ;;
    *)     echo "usage: $0 start MODULE PORT | stop" >&2; exit 2 ;;
esac
