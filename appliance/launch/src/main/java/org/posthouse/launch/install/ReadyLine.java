package org.posthouse.launch.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The line that a relay prints once it serves.
 *
 * @param site its site
 * @param relay its id: SITE or SITE/NAME
 * @param ranks where ranks and launchers connect
 * @param links where other relays dial; empty if they cannot
 * @param console where the console is: HOST:PORT, or https://HOST:PORT over TLS
 */
public record ReadyLine(String site, String relay, String ranks, String links, String console) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The line for people. */
    public String text() {
        return "relay " + relay + " serves ranks at " + ranks
                + (links.isEmpty() ? "" : ", links at " + links) + ", console " + (console.startsWith("https://") ? "" : "http://") + console + "/";
    }

    /** The line for programs. */
    public String json() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Parses what {@link #json} has written. */
    public static ReadyLine parse(String json) throws JsonProcessingException {
        return JSON.readValue(json, ReadyLine.class);
    }
}
