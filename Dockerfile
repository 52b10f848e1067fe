# syntax=docker/dockerfile:1
# One image for every role: docker build -t siann .
# For builds that can be repeated to the byte, give the base by its digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
ARG SIANN_MODEL=small
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
# The model before the rest of the source: while neither changes, neither does its layer.
COPY weights weights/
COPY src/model src/model/
COPY deploy/image deploy/image/
RUN node deploy/image/make-sbom.mjs sbom.cdx.json
RUN node --import tsx deploy/image/prepare-models.ts /models "${SIANN_MODEL}"
RUN node deploy/image/prune.mjs /app "${SIANN_MODEL}"
COPY LICENSE NOTICE ./
COPY bin bin/
COPY scripts/install.mjs scripts/
COPY wire wire/
COPY samples samples/
COPY client client/
COPY console console/
COPY docs/realtime.md docs/
COPY docs/guides docs/guides/
COPY src src/

FROM ${NODE_IMAGE}
ARG SIANN_MODEL=small
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Siann" \
      org.opencontainers.image.description="Self-hosted speech-to-text for Mandarin, Taiwanese and English" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Nothing is installed or built in a running container, and nobody becomes root.
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn* /root/.npm \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
    && install -d -o 10001 -g 10001 /data && ln -s /app/bin/siann.mjs /usr/local/bin/siann
COPY --from=build /models /models
COPY --from=build /app /app
ENV NODE_ENV=production \
    ORT_DISABLE_TELEMETRY=1 \
    SIANN_CACHE=/models \
    SIANN_DATA=/data \
    SIANN_HOST=0.0.0.0 \
    SIANN_MODEL=${SIANN_MODEL}
WORKDIR /app
# A number, so that an orchestrator can see that it is not root.
USER 10001:10001
EXPOSE 8443 8444
# SIANN_DRAIN_SECONDS later (30 by default) it has stopped: whoever stops it must wait longer than that before it kills.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/app/deploy/image/healthcheck.mjs"]
ENTRYPOINT ["node", "/app/bin/siann.mjs"]
CMD ["serve"]
