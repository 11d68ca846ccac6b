# syntax=docker/dockerfile:1
# docker build -t memory . — to pin the base for good: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# Of Tesseract, the service uses one build and the neural models: 68 MB less.
RUN rm -rf node_modules/@tesseract.js-data/*/4.0.0 && \
    find node_modules/tesseract.js-core -name 'tesseract-core*' ! -name '*core-simd-lstm*' -delete

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY . .
# The console and the guide are built ahead; the service serves what it finds in console/dist and site/dist.
RUN node scripts/build-console.mjs && node scripts/build-guide.mjs
# Their sources would only be compared with what was built.
RUN rm -rf .cache && for site in console site; do find $site -mindepth 1 -maxdepth 1 ! -name dist ! -name pages.mjs -exec rm -rf {} +; done

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8787 \
    DATA_DIR=/var/lib/memory/data \
    NODE_COMPILE_CACHE=/var/lib/memory/compiled
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app ./
# The volume is made with the rights that the folder has here. DATA_DIR is a folder within it, so that a restore can move it.
RUN mkdir -p /var/lib/memory && chown 1000:1000 /var/lib/memory
# `docker compose … exec memory memory status` runs the command line.
RUN ln -s /app/scripts/memory.mjs /usr/local/bin/memory
VOLUME /var/lib/memory
USER 1000:1000
EXPOSE 8787
# Not whether it is ready: while the database is away a restart would not help.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# No npm in between: signals reach the service itself. The flags keep large syncs under 600 MB, as npm start has them.
ENTRYPOINT ["node"]
CMD ["--max-semi-space-size=8", "--heap-growing-percent=30", "src/main.ts"]
