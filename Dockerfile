# docker build -t mockmaker .
FROM node:22-bookworm-slim AS pack
WORKDIR /source
# Only what the package is made of, so that no build of the host gets in.
COPY package.json package-lock.json tsconfig.json LICENSE README.md CHANGELOG.md llms.txt ./
COPY build build
COPY src src
COPY test test
COPY fixtures fixtures
COPY docs docs
COPY examples examples
RUN npm ci --no-audit --no-fund && mkdir /pack && npm pack --pack-destination /pack

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=pack /pack/ /pack/
COPY package-lock.json ./
RUN tar -xzf /pack/mockmaker-*.tgz --strip-components=1 && npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund @redis/client@6
# The user `node` of the image. A number, so that Kubernetes can see that it is not root.
USER 1000
EXPOSE 4100
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s CMD ["node", "dist/cli.js", "health"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["--host", "0.0.0.0"]
