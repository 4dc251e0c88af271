#!/bin/sh
#
# docker-entrypoint.sh COMMAND...
#
# What the entrypoint of nginx's image does, as far as packaging/docker depends on
# it: sources scripts, all in one process, which ends with the first that exits;
# fills templates with the variables that they have exported; runs the command
# without these.

set -e

(
    for script in "${ENTRYPOINT_SCRIPTS:-/docker-entrypoint.d}"/*.envsh; do
        # shellcheck source=packaging/docker/18-artifact.envsh
        . "$script"
    done

    from=${NGINX_ENVSUBST_TEMPLATE_DIR:-/etc/nginx/templates}
    to=${NGINX_ENVSUBST_OUTPUT_DIR:-/etc/nginx/conf.d}
    names=$(env | sed -n "s/\(${NGINX_ENVSUBST_FILTER}[A-Z_]*\)=.*/\${\1}/p")

    find "$from" -type f -name '*.template' | while read -r template; do
        made=$to${template#"$from"}
        made=${made%.template}
        mkdir -p "$(dirname "$made")"
        envsubst "$names" < "$template" > "$made"
    done
)

exec "$@"
