# The relay's image, from a clean checkout alone: docker build -t posthouse .   (docs/operations.md, "In a container")
# Without Docker: buildah bud --format docker -t posthouse .
# BUILD_BASE has a JDK 25 and Maven. BASE is a Linux with glibc, bash and coreutils. A mirror may have both under other names.
ARG BUILD_BASE=docker.io/library/maven:3-eclipse-temurin-25
ARG BASE=docker.io/library/debian:trixie-slim

FROM ${BUILD_BASE} AS build
# For instance "-o -Dmaven.repo.local=/m2" with "-v", where nothing may be fetched.
ARG MAVEN_OPTIONS=
WORKDIR /src
COPY . .
# The cache is the builder's own, in no layer: another build fetches nothing again.
RUN --mount=type=cache,target=/root/.m2 mvn -B -ntp -DskipTests -Dformatter.skip ${MAVEN_OPTIONS} -pl appliance -am package
# All of Java SE, as the image runs users' programs too; and what relays and their operators need besides (docs/adr/0090).
RUN jlink --no-header-files --no-man-pages --compress zip-6 --generate-cds-archive --output /opt/java --add-modules \
        java.se,jdk.attach,jdk.charsets,jdk.crypto.cryptoki,jdk.httpserver,jdk.jcmd,jdk.jfr,jdk.management,jdk.management.agent,jdk.naming.dns,jdk.net,jdk.unsupported,jdk.zipfs \
    && java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.runtime.version = \(.*\)$/JAVA_RUNTIME_VERSION="\1"/p' >>/opt/java/release \
    && install -Dm 755 posthouse /opt/posthouse/posthouse \
    && install -m 755 ops/container/healthcheck /opt/posthouse/ \
    && install -m 644 LICENSE /opt/posthouse/ \
    && install -Dm 644 -t /opt/posthouse/appliance/target appliance/target/posthouse.jar \
    && install -Dm 644 -t /opt/posthouse/appliance/target/lib appliance/target/lib/* \
    && install -Dm 644 -t /opt/posthouse/appliance/launch/target/classes/org/posthouse appliance/launch/target/classes/org/posthouse/*.flags

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="posthouse" \
      org.opencontainers.image.description="Relay, agent and launcher that join clusters into one machine for Java MPI programs" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV POSTHOUSE_JAVA_HOME=/opt/java
COPY --from=build /opt/java /opt/java
COPY --from=build /opt/posthouse /opt/posthouse
# A user by number: Kubernetes' runAsNonRoot asks for one. Whoever mounts files of another user says "-u" (docs/operations.md).
RUN grep -q '^posthouse:' /etc/passwd 2>/dev/null || echo 'posthouse:x:1000:1000:Posthouse:/data:/bin/bash' >>/etc/passwd; \
    install -d -m 700 -o 1000 -g 1000 /data /keys && ln -s /opt/posthouse/posthouse /usr/local/bin/posthouse
# Makes the start caches, with which later starts take about half the time (docs/adr/0014). If it fails, so does the build, with its reason.
RUN posthouse rehearse && posthouse --version

USER 1000:1000
WORKDIR /data
VOLUME ["/data", "/keys"]
# Ranks, launchers and agents; links of other sites. The console, 7413, is on the container's own loopback.
EXPOSE 7411 7412
# A relay ends in order at SIGTERM, within the 10 s of "docker stop".
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 CMD ["/opt/posthouse/healthcheck"]
ENTRYPOINT ["posthouse"]
CMD ["--help"]
