package org.posthouse.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.posthouse.mpj.Endpoints;

/** A program that does what a test tells it over a connection of its own, whose port is its argument; it knows no MPI. */
public final class Puppet {
    private Puppet() {}

    /** Says "rank incarnation pid", then obeys and says "done": print TEXT, half TEXT, complain TEXT, child, exit STATUS. */
    public static void main(String[] args) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]))) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            say(socket, System.getenv(Endpoints.RANK) + " " + System.getenv(Endpoints.INCARNATION) + " "
                    + ProcessHandle.current().pid());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", 2);
                say(socket, obey(words[0], words[words.length - 1]));
            }
        }
    }

    private static String obey(String order, String text) throws IOException {
        switch (order) {
            case "print" -> System.out.println(text);
            case "half" -> System.out.print(text);
            case "complain" -> System.err.println(text);
            case "child" -> {
                return Long.toString(new ProcessBuilder("sleep", "1000").inheritIO().start().pid());
            }
            case "exit" -> {
                System.out.flush();
                Runtime.getRuntime().halt(Integer.parseInt(text));
            }
            default -> throw new IllegalArgumentException("no such order: " + order);
        }
        System.out.flush();
        return "done";
    }

    private static void say(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
