# One relay a site (docs/operations.md, "In a container"). After "mvn package", from the checkout: docker build -t posthouse .
ARG BASE=eclipse-temurin:25-jre
FROM ${BASE}

RUN groupadd --system posthouse && useradd --system --gid posthouse --home-dir /data --create-home posthouse
COPY --chmod=755 posthouse /opt/posthouse/
COPY --chmod=755 appliance/target/lib /opt/posthouse/appliance/target/lib
COPY --chmod=755 appliance/target/posthouse.jar /opt/posthouse/appliance/target/
COPY --chmod=755 appliance/launch/target/classes/org/posthouse/jvm.flags appliance/launch/target/classes/org/posthouse/relay.flags appliance/launch/target/classes/org/posthouse/run.flags appliance/launch/target/classes/org/posthouse/command.flags /opt/posthouse/appliance/launch/target/classes/org/posthouse/
# The first command makes what lets later ones, and relays, start in about half the time (docs/adr/0014).
RUN ln -s /opt/posthouse/posthouse /usr/local/bin/posthouse && posthouse --version

USER posthouse
WORKDIR /data
VOLUME /data
EXPOSE 7411 7412 7413
ENTRYPOINT ["posthouse"]
CMD ["--help"]
