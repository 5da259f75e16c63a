FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 1000 -g 1000 -m 0700 /data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY scripts/container.mjs scripts/healthcheck.mjs ./scripts/
COPY src ./src

# The home is the only thing written to: --read-only and --cap-drop ALL are fine, with a tmpfs on /tmp.
ENV NODE_ENV=production HERMOD_HOME=/data MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
USER 1000:1000
VOLUME /data
EXPOSE 8790
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "/app/scripts/healthcheck.mjs"]

# tini reaps what tools leave behind. A published port does not reach 127.0.0.1 inside, hence the host; publish it on
# loopback: docker run -p 127.0.0.1:8790:8790 -v hermod:/data --stop-timeout 60 --restart unless-stopped
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "--import", "/app/scripts/container.mjs", "/app/src/main.ts", "start", "--set", "http.host=0.0.0.0"]
