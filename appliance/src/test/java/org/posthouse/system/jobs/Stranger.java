package org.posthouse.system.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;

/** A process of another user, which knows nothing but what its arguments say. It needs no other class. */
public final class Stranger {
    private static final int HEARD_MAX = 1 << 20;

    private Stranger() {}

    /** {@code listen PORT ANSWER}: prints what each visitor says, whom it answers so; {@code say PORT WORDS}: prints what is answered. In hexadecimal digits. */
    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[1]);
        byte[] words = HexFormat.of().parseHex(arguments[2]);
        if (arguments[0].equals("say")) {
            try (Socket relay = new Socket(InetAddress.getLoopbackAddress(), port)) {
                tell(relay, words);
            }
            return;
        }
        try (ServerSocket server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
            System.out.println("listens");
            while (true) {
                try (Socket visitor = server.accept()) {
                    tell(visitor, words);
                }
            }
        }
    }

    private static void tell(Socket peer, byte[] words) throws IOException {
        peer.getOutputStream().write(words);
        InputStream in = peer.getInputStream();
        byte[] heard = in.readNBytes(HEARD_MAX);
        System.out.println("heard " + HexFormat.of().formatHex(heard));
        System.out.flush();
    }
}
