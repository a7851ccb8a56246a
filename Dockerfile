# The version of Node that package.json pins (a test compares the two), on the system that Envkeep is tested on.
ARG NODE=node:24.21.0-bookworm-slim

# The manifests come before the sources, so that a change of code does not install all packages again.
FROM ${NODE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY formats/package.json formats/
COPY server/package.json server/
COPY web/package.json web/
COPY client/package.json client/
COPY integrations/package.json integrations/
COPY integrations/mcp/package.json integrations/mcp/
COPY testing/package.json testing/
COPY e2e/package.json e2e/
COPY bench/package.json bench/
COPY scripts/package.json scripts/exec.cjs scripts/preinstall.cjs scripts/require-node.cjs scripts/

FROM manifests AS build
RUN npm ci
COPY . .
RUN npm run build

# Only the packages that the running server needs. Our own, and what a start loads, are bundled into the built server.
FROM manifests AS dependencies
RUN npm ci --omit=dev --workspace @envkeep/server --ignore-scripts && rm -r node_modules/@envkeep

FROM ${NODE}
LABEL org.opencontainers.image.title="Envkeep" \
      org.opencontainers.image.description="Stores environment variables, which programs read with an API key" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    NODE_OPTIONS=--disable-warning=ExperimentalWarning \
    HOST=0.0.0.0 \
    PORT=3000 \
    ENVKEEP_DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/server/package.json server/
COPY --from=build /app/server/dist server/dist
COPY --from=build /app/web/dist web/dist
# A number, so that a cluster can verify that it is not root. The user owns only the data folder.
RUN mkdir -m 700 /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 3000
# Checks the process and not its database: a restart would not bring a database back.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process and gets the signals. Commands are arguments: `docker run envkeep admin list`.
ENTRYPOINT ["node", "/app/server/dist/main.js"]
