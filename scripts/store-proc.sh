#!/bin/bash
#
# store-proc.sh run DIR NAME COMMAND...   starts a daemon in the background
# store-proc.sh kill DIR NAME             SIGKILL for that one
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


kill_one() {
    local dir=$1 pid start name i

    while read -r pid start name; do

        if [ "$name" = "$2" ] && runs "$pid" "$start"; then
            kill -KILL "$pid"

            for i in $(seq 100); do
                runs "$pid" "$start" || return 0
                sleep 0.05
            done
        fi

    done < "$dir/pids"

    echo "no $2 to kill" >&2
    return 1
}


# all are told first, since one may wait for another

down() {
    local dir=$1 pid start name list i

    [ -f "$dir/pids" ] || return 0

    list=$(tac "$dir/pids")

    while read -r pid start name; do
        runs "$pid" "$start" && kill -TERM "$pid"
    done <<< "$list"

    while read -r pid start name; do

        for i in $(seq 60); do
            runs "$pid" "$start" || continue 2
            sleep 0.05
        done

        kill -KILL "$pid" 2> /dev/null

    done <<< "$list"

    rm -f "$dir/pids"
}


case ${1:-} in
    run)  shift; run "$@" ;;
    kill) kill_one "$2" "$3" ;;
    down) down "$2" ;;
    *)    echo "usage: $0 run DIR NAME COMMAND... | kill DIR NAME |" \
               "down DIR" >&2
          exit 2 ;;
esac
