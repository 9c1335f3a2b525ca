# One relay a cluster, here with the keys and the launch token in the volume:
#   docker run -p 7411:7411 -p 7412:7412 -v posthouse:/data posthouse relay --site NAME --data /data \
#       --listen 0.0.0.0:7411 --announce HOST:7411 --token-file /data/token --keys /data/keys --links 0.0.0.0:7412
# Build after "mvn package", from the checkout: docker build -t posthouse .
ARG BASE=eclipse-temurin:25-jre
FROM ${BASE}

RUN groupadd --system posthouse && useradd --system --gid posthouse --home-dir /data --create-home posthouse
COPY appliance/target/lib /opt/posthouse/lib
COPY appliance/target/posthouse.jar /opt/posthouse/posthouse.jar
COPY appliance/target/classes/org/posthouse/jvm.flags appliance/target/classes/org/posthouse/relay.flags /opt/posthouse/

USER posthouse
WORKDIR /data
VOLUME /data
EXPOSE 7411 7412 7413
ENTRYPOINT ["java", "@/opt/posthouse/jvm.flags", "@/opt/posthouse/relay.flags", "-XX:-UsePerfData", "-Djava.awt.headless=true", \
    "-cp", "/opt/posthouse/posthouse.jar:/opt/posthouse/lib/*", "org.posthouse.cli.Posthouse"]
CMD ["--help"]
