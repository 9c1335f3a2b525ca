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

    /**
     * {@code listen PORT ANSWER}: prints what each visitor says, whom it answers so; {@code say PORT WORDS}: prints what is answered. In hexadecimal digits.
     * {@code pass PORT}: lets one visitor in at a port that it prints, and hands on what he and the port say to each other.
     */
    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("pass")) {
            pass(port);
            return;
        }
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

    private static void pass(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.out.println("listens " + server.getLocalPort());
            try (Socket visitor = server.accept(); Socket relay = new Socket(InetAddress.getLoopbackAddress(), port)) {
                Thread back = new Thread(() -> pump(relay, visitor));
                back.setDaemon(true);
                back.start();
                visitor.getInputStream().transferTo(relay.getOutputStream());
            }
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            System.out.println("ended: " + e);
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
