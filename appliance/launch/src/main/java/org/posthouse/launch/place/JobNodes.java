package org.posthouse.launch.place;

import java.util.List;
import org.posthouse.wire.Token;

/**
 * The use that a job makes of nodes.
 *
 * @param request how its ranks are placed
 * @param key the job's secret that agents obey
 * @param contents the names of its files on nodes, each with the SHA-256 of its content
 */
public record JobNodes(NodeRequest request, Token key, List<String> contents) {
    public JobNodes {
        contents = List.copyOf(contents);
    }
}
