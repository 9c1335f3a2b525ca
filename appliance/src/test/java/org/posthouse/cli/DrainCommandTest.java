package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What {@code posthouse drain} makes of the console's answer. */
class DrainCommandTest {
    private static String told(boolean drained, int carried) throws IOException {
        return DrainCommand.tell(new ObjectMapper().readTree("{\"relay\": \"site-a/gw1\", \"drained\": " + drained + ", \"carried\": " + carried + "}"));
    }

    @Test
    void reportsLanesThroughTheGatewayAndThatRoutableOnesLeave() throws IOException {
        assertThat(told(true, 1)).isEqualTo("site-a/gw1: drained; 1 lane of other relays goes through it,"
                + " and what has another way leaves within seconds: posthouse status tells");
        assertThat(told(true, 0)).isEqualTo("site-a/gw1: drained; 0 lanes of other relays go through it");
        assertThat(told(false, 1_200)).isEqualTo("site-a/gw1: a gateway again; 1,200 lanes of other relays go through it");
    }
}
