#!/bin/bash
#
# store-proc.sh run DIR NAME COMMAND...   starts a daemon in the background
# store-proc.sh kill DIR NAME             SIGKILL for that one
# store-proc.sh stop DIR NAME             SIGTERM
# store-proc.sh down DIR                  ends every one
#
# DIR/pids has a line "PID START NAME" for each daemon; the time at which it
# was started keeps a stale line from naming another process.  A daemon's
# output goes to DIR/log/NAME.log.

set -u


started() {
    sed 's/.*) //' "/proc/$1/stat" 2> /dev/null | cut -d' ' -f20
}


runs() {
    [ -n "$2" ] && [ "$(started "$1")" = "$2" ]
}


run() {
    local dir=$1 name=$2 pid

    shift 2

    mkdir -p "$dir/log"
    "$@" < /dev/null >> "$dir/log/$name.log" 2>&1 &
    pid=$!

    echo "$pid $(started $pid) $name" >> "$dir/pids"
}


# end_one SIGNAL DIR NAME

end_one() {
    local pid start name i

    while read -r pid start name; do

        if [ "$name" = "$3" ] && runs "$pid" "$start"; then
            kill -"$1" "$pid"

            for i in $(seq 200); do
                runs "$pid" "$start" || return 0
                sleep 0.05
            done
        fi

    done < "$2/pids"

    echo "$3 does not run, or does not end" >&2
    return 1
}


# All are told first, since one may wait for another; after five seconds there
# is no more waiting.

down() {
    local dir=$1 pid start name list

    [ -f "$dir/pids" ] || return 0

    list=$(tac "$dir/pids")

    while read -r pid start name; do
        runs "$pid" "$start" && kill -TERM "$pid"
    done <<< "$list"

    while read -r pid start name; do

        while runs "$pid" "$start"; do
            [ $SECONDS -lt 5 ] || kill -KILL "$pid"
            sleep 0.05
        done

    done <<< "$list"

    rm -f "$dir/pids"
}


case ${1:-} in
    run)  shift; run "$@" ;;
    kill) end_one KILL "$2" "$3" ;;
    stop) end_one TERM "$2" "$3" ;;
    down) down "$2" ;;
    *)    echo "usage: $0 run DIR NAME COMMAND... | kill DIR NAME |" \
               "stop DIR NAME | down DIR" >&2
          exit 2 ;;
esac
