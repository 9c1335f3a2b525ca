package org.posthouse.cli.init;

import java.util.List;

/** The compose file of a {@link GridPlan}: both relays and a job, each in a container of the image {@code posthouse}. */
final class ComposeFile {
    private ComposeFile() {}

    /**
     * Returns the file's text.
     *
     * @param user as UID:GID, who owns the sites' folders: containers read keys and token as this user
     */
    static String text(GridPlan plan, String user) {
        return """
                # Two sites and a job over both, in containers. After "docker build -t posthouse ." in a checkout of Posthouse:
                #   docker compose up
                services:
                """ + relay(plan.first(), user, "--links, 0.0.0.0:7412") + relay(plan.second(), user, "--peer, " + plan.first() + "=" + plan.first() + ":7412")
                + job(plan, user);
    }

    private static String relay(String site, String user, String link) {
        return """
                  SITE:
                    image: posthouse
                    user: "USER"
                    command: [relay, --site, SITE, --keys, /keys/keys, --token-file, /keys/token, --data, /data, --listen, "0.0.0.0:7411",
                      --announce, "SITE:7411", LINK, --tunnel-group]
                    volumes: ["./SITE:/keys:ro", "./SITE/container-data:/data"]
                    restart: unless-stopped
                """.replace("SITE", site).replace("USER", user).replace("LINK", quoted(link));
    }

    private static String quoted(String link) {
        List<String> words = List.of(link.split(", "));
        return words.get(0) + ", \"" + words.get(1) + "\"";
    }

    private static String job(GridPlan plan, String user) {
        return """
                  job:
                    image: posthouse
                    user: "USER"
                    command: [run, -n, "8", --relay, "FIRST:7411", --relay, "SECOND:7411", --token-file, /keys/token, "example:heat"]
                    volumes: ["./FIRST:/keys:ro"]
                    depends_on:
                      FIRST: {condition: service_healthy}
                      SECOND: {condition: service_healthy}
                """.replace("FIRST", plan.first()).replace("SECOND", plan.second()).replace("USER", user);
    }
}
