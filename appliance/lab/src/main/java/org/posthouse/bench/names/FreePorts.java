package org.posthouse.bench.names;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports on loopback addresses that nobody has yet. Stateless. */
final class FreePorts {
    private FreePorts() {}

    /** Of {@code 127.0.0.1}, {@code 127.0.0.2} and so on one each, as host:port. */
    static List<String> endpoints(int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int each = 1; each <= count; each++) {
                held.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0." + each)));
            }
            return held.stream().map(each -> each.getInetAddress().getHostAddress() + ":" + each.getLocalPort()).toList();
        } finally {
            for (ServerSocket each : held) {
                each.close();
            }
        }
    }
}
