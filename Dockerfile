# The version of Node that package.json pins, and the system it was tested on; a test holds the two together.
ARG NODE=node:24.21.0-bookworm-slim

# What the packages need, before their sources: a change of code does not install anything anew.
FROM ${NODE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY formats/package.json formats/
COPY server/package.json server/
COPY web/package.json web/
COPY client/package.json client/
COPY testing/package.json testing/
COPY e2e/package.json e2e/
COPY bench/package.json bench/
COPY scripts/package.json scripts/

FROM manifests AS build
RUN npm ci
COPY . .
RUN npm run build

# Only what the running server takes from the registry. Our own packages are inside the built server.
FROM manifests AS dependencies
RUN npm ci --omit=dev --workspace @envkeep/server --ignore-scripts && rm -r node_modules/@envkeep

FROM ${NODE}
LABEL org.opencontainers.image.title="Envkeep" \
      org.opencontainers.image.description="Keeps environment variables, and hands them out by API key" \
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
# By number, so that whoever runs the image can see that it is not root. Nothing but the data folder is its own.
RUN mkdir -m 700 /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 3000
# Whether the process answers, not whether its database does: to restart it would bring no database back.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process and hears the signals; a command goes behind it: `docker run envkeep admin list`.
ENTRYPOINT ["node", "--expose-gc", "--min-semi-space-size=8", "--max-semi-space-size=8", "/app/server/dist/main.js"]
