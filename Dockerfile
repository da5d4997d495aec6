# syntax=docker/dockerfile:1
# Foretoken with its own Java runtime. Build: docker build -t foretoken .   Use:
# docker run --rm --user "$(id -u)" -v "$PWD:/data" foretoken explore my.yaml
FROM debian:bookworm-slim AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jdk-headless maven \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2 packaging/image /opt/foretoken

FROM debian:bookworm-slim
# Fonts and their libraries are for charts; certificates for servers behind TLS.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates fontconfig fonts-dejavu-core libfreetype6 libharfbuzz0b \
       libjpeg62-turbo liblcms2-2 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 foretoken
COPY --from=build /opt/foretoken /opt/foretoken
RUN ln -s /opt/foretoken/bin/foretoken /usr/local/bin/foretoken
USER foretoken
WORKDIR /data
ENTRYPOINT ["/opt/foretoken/bin/foretoken"]
CMD ["--help"]
